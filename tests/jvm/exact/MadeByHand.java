import static java.lang.constant.ConstantDescs.CD_Object;
import static java.lang.constant.ConstantDescs.CD_int;
import static java.lang.constant.ConstantDescs.CD_void;

import java.lang.classfile.ClassBuilder;
import java.lang.classfile.ClassFile;
import java.lang.constant.ClassDesc;
import java.lang.constant.MethodTypeDesc;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.function.Consumer;

/** Writes classes that javac does not make, for JDK 17 and newer. Each has a main method. */
public class MadeByHand {
    static final ClassDesc SYSTEM = ClassDesc.of("java.lang.System"), STREAM = ClassDesc.of("java.io.PrintStream");
    static final MethodTypeDesc NOTHING = MethodTypeDesc.of(CD_void), INT = MethodTypeDesc.of(CD_int);
    static final MethodTypeDesc TAKES_INT = MethodTypeDesc.of(CD_void, CD_int), INT_TO_INT = MethodTypeDesc.of(CD_int, CD_int);
    static final MethodTypeDesc MAIN = MethodTypeDesc.ofDescriptor("([Ljava/lang/String;)V");
    static final int STATIC = ClassFile.ACC_PUBLIC | ClassFile.ACC_STATIC;

    static void write(Path folder, String name, Consumer<ClassBuilder> content) throws Exception {
        byte[] bytes = ClassFile.of().build(ClassDesc.of(name), builder -> {
            builder.withVersion(61, 0);
            content.accept(builder);
        });
        Files.write(folder.resolve(name + ".class"), bytes);
    }

    /** A constructor that keeps `this` elsewhere until it calls super(), and divides before that. */
    static void thisMoved(ClassBuilder builder) {
        ClassDesc me = ClassDesc.of("ThisMoved"), arithmetic = ClassDesc.of("java.lang.ArithmeticException");
        builder.withMethodBody("<init>", TAKES_INT, ClassFile.ACC_PUBLIC, code -> code
                .aload(0).astore(2).aconst_null().astore(0)
                .bipush(100).iload(1).idiv().pop()
                .aload(2).invokespecial(CD_Object, "<init>", NOTHING).return_());
        builder.withMethodBody("main", MAIN, STATIC, code -> {
            code.new_(me).dup().iconst_1().invokespecial(me, "<init>", TAKES_INT).pop();
            code.trying(
                    block -> block.new_(me).dup().iconst_0().invokespecial(me, "<init>", TAKES_INT).pop(),
                    handlers -> handlers.catching(arithmetic, handler -> handler.pop().getstatic(SYSTEM, "out", STREAM)
                            .ldc("caught").invokevirtual(STREAM, "println", MethodTypeDesc.ofDescriptor("(Ljava/lang/String;)V"))));
            code.return_();
        });
    }

    /** A synchronized method that has unlocked its monitor: its return throws, and it catches that. */
    static void returnThrows(ClassBuilder builder) {
        ClassDesc me = ClassDesc.of("ReturnThrows"), illegal = ClassDesc.of("java.lang.IllegalMonitorStateException");
        builder.withMethodBody("unlocked", INT, STATIC | ClassFile.ACC_SYNCHRONIZED, code -> {
            var start = code.newLabel();
            var handler = code.newLabel();
            code.ldc(me).monitorexit().iconst_1()
                    .labelBinding(start).ireturn()
                    .labelBinding(handler).pop().iconst_2().invokestatic(me, "same", INT_TO_INT).ireturn()
                    .exceptionCatch(start, handler, handler, illegal);
        });
        builder.withMethodBody("same", INT_TO_INT, STATIC, code -> code.iload(0).ireturn());
        builder.withMethodBody("caller", INT, STATIC, code -> {
            var start = code.newLabel();
            var handler = code.newLabel();
            code.labelBinding(start).invokestatic(me, "unlocked", INT).ireturn()
                    .labelBinding(handler).pop().iconst_m1().ireturn()
                    .exceptionCatch(start, handler, handler, illegal);
        });
        builder.withMethodBody("main", MAIN, STATIC, code -> {
            var head = code.newLabel();
            code.iconst_0().istore(1).iconst_0().istore(2)
                    .labelBinding(head).iload(2).invokestatic(me, "caller", INT).iadd().istore(2)
                    .iinc(1, 1).iload(1).sipush(1000).if_icmplt(head)
                    .getstatic(SYSTEM, "out", STREAM).iload(2).invokevirtual(STREAM, "println", TAKES_INT).return_();
        });
    }

    public static void main(String[] args) throws Exception {
        Path folder = Path.of(args[0]);
        write(folder, "ThisMoved", MadeByHand::thisMoved);
        write(folder, "ReturnThrows", MadeByHand::returnThrows);
    }
}
