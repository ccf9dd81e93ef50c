package hello;

public class Hello {
    static int count(int n) {
        int sum = 0;
        for (int i = 0; i < n; i++) {
            sum += i % 7;
        }
        return sum;
    }

    public static void main(String[] args) {
        System.out.println("hello from " + Hello.class.getModule() + " " + count(200_000));
    }
}
