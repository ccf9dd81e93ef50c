public class OldOne implements Old {}
