public interface Old {
    int added(int x);
}
