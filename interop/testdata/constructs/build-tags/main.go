// A file for one operating system only, which go vet on another one does not compile.
package main

func main() { run() }
