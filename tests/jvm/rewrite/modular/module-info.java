module hello.world {
    exports hello;
}
