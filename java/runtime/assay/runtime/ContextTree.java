package assay.runtime;

import java.util.Arrays;

/** A tree of calling contexts in arrays: node 0 is the root, a node comes after its parent. Not synchronized. */
final class ContextTree {
    int[] parents = new int[64];
    int[] methods = new int[64];
    long[] samples = new long[64];
    long[] bytecodes = new long[64];
    int nodes = 1;
    private int[] index = new int[256]; // open hash table of nodes by parent and method

    /** The node of a stack, whose new part is replaced by (negative) nodes: the next search begins there. */
    int find(int[] stack, int depth) {
        int known = depth;
        while (known > 0 && stack[known - 1] >= 0) {
            known--;
        }
        int node = known > 0 ? ~stack[known - 1] : 0;
        for (; known < depth; known++) {
            node = child(node, stack[known]);
            stack[known] = ~node;
        }
        return node;
    }

    void add(int node, long moreSamples, long moreBytecodes) {
        samples[node] += moreSamples;
        bytecodes[node] += moreBytecodes;
    }

    void addAll(ContextTree other) {
        int[] here = new int[other.nodes];
        for (int node = 1; node < other.nodes; node++) {
            here[node] = child(here[other.parents[node]], other.methods[node]);
            add(here[node], other.samples[node], other.bytecodes[node]);
        }
    }

    long total() {
        long sum = 0;
        for (int node = 0; node < nodes; node++) {
            sum += bytecodes[node];
        }
        return sum;
    }

    private int child(int parent, int method) {
        int slot = slotOf(parent, method, index, parents, methods);
        if (index[slot] != 0) {
            return index[slot];
        }
        if (nodes == parents.length) {
            grow();
            slot = slotOf(parent, method, index, parents, methods);
        }
        parents[nodes] = parent;
        methods[nodes] = method;
        index[slot] = nodes;
        return nodes++;
    }

    private static int slotOf(int parent, int method, int[] index, int[] parents, int[] methods) {
        int hash = parent * 0x9e3779b1 + method * 0x85ebca6b;
        int slot = (hash ^ hash >>> 15) & (index.length - 1);
        while (index[slot] != 0 && (parents[index[slot]] != parent || methods[index[slot]] != method)) {
            slot = (slot + 1) & (index.length - 1);
        }
        return slot;
    }

    /** All or nothing: the program's stack may end at any call made here. */
    private void grow() {
        int size = nodes * 2;
        int[] largerParents = Arrays.copyOf(parents, size);
        int[] largerMethods = Arrays.copyOf(methods, size);
        long[] largerSamples = Arrays.copyOf(samples, size);
        long[] largerBytecodes = Arrays.copyOf(bytecodes, size);
        int[] largerIndex = new int[size * 4];
        for (int node = 1; node < nodes; node++) {
            largerIndex[slotOf(parents[node], methods[node], largerIndex, parents, methods)] = node;
        }
        parents = largerParents;
        methods = largerMethods;
        samples = largerSamples;
        bytecodes = largerBytecodes;
        index = largerIndex;
    }
}
