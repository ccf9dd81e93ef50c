// Names of methods in the forms the page shows, and search over them. Names are data: they reach
// the page as text nodes only.
import type { ReportData } from './data';

const PRIMITIVES: Record<string, string> = {
  B: 'byte', C: 'char', D: 'double', F: 'float', I: 'int', J: 'long', S: 'short', Z: 'boolean',
  V: 'void',
};

// "(ILjava/lang/String;)V" -> "int, String"; null when it is not a descriptor.
export function parameters(descriptor: string): string | null {
  const end = descriptor.indexOf(')');
  if (descriptor[0] !== '(' || end < 0) return null;
  const types: string[] = [];
  for (let i = 1; i < end;) {
    let dimensions = 0;
    while (descriptor[i] === '[') { dimensions++; i++; }
    let type = PRIMITIVES[descriptor[i]];
    if (descriptor[i] === 'L') {
      const stop = descriptor.indexOf(';', i);
      if (stop < 0 || stop > end) return null;
      type = descriptor.slice(i + 1, stop).replace(/^.*[/$]/, '');
      i = stop + 1;
    } else if (type) {
      i++;
    } else {
      return null;
    }
    types.push(type + '[]'.repeat(dimensions));
  }
  return types.join(', ');
}

export class Names {
  private readonly lower: string[];

  constructor(private readonly data: ReportData) {
    this.lower = new Array(data.methods.name.length);
  }

  className(m: number): string { return this.data.strings[this.data.methods.class[m]]; }
  method(m: number): string { return m === 0 ? '(no method)' : this.data.strings[this.data.methods.name[m]]; }
  descriptor(m: number): string { return this.data.strings[this.data.methods.descriptor[m]]; }

  packageName(m: number): string {
    const name = this.className(m);
    const dot = name.lastIndexOf('.');
    return dot < 0 ? '' : name.slice(0, dot);
  }
  simpleClass(m: number): string {
    const name = this.className(m);
    return name.slice(name.lastIndexOf('.') + 1);
  }

  // "HashMap.getNode"
  short(m: number): string {
    const simple = this.simpleClass(m);
    return simple ? `${simple}.${this.method(m)}` : this.method(m);
  }
  // "java.util.HashMap.getNode(Object)"
  full(m: number): string {
    const name = this.className(m);
    const types = parameters(this.descriptor(m));
    return `${name ? `${name}.` : ''}${this.method(m)}${types === null ? this.descriptor(m) : `(${types})`}`;
  }

  // One flag per method: does its qualified name contain every word of the query?
  matching(query: string): Uint8Array | null {
    const words = query.toLowerCase().split(/\s+/).filter(Boolean);
    if (!words.length) return null;
    const flags = new Uint8Array(this.lower.length);
    for (let m = 1; m < flags.length; m++) {
      const name = (this.lower[m] ??=
          `${this.className(m)}.${this.method(m)}${this.descriptor(m)}`.toLowerCase());
      flags[m] = words.every((w) => name.includes(w)) ? 1 : 0;
    }
    return flags;
  }
}
