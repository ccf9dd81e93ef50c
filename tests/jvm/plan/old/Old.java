public interface Old {}
