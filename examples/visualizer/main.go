// Command visualizer shows data on its way from the API server through an informer to a
// controller, live in a browser.
//
//	go run ./examples/visualizer
package main

func main() {}
