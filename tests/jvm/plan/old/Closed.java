public class Closed {
    private int open(int x) {
        return x;
    }
}
