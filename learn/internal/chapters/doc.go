// Package chapters reads the chapters of the course in learn/chapters, and finds
// the parts of a chapter that the command of the course needs.
//
// A code block after one of these comments is not written by hand:
//
//	<!-- source: reflector/state.go#step -->       a declaration: a func, Type, Type.Method, var or const
//	<!-- output: go run ./learn show 4 -->         what the run of step 4 prints
//	<!-- output: go run ./examples/endpoints -->   the output in the README of the example
//
// An excerpt has at most 35 lines. The doc comment is left out if it would have more. A
// name in a group of constants or variables stands for the whole group.
//
//	go test ./learn/internal/chapters                  # compares the blocks with their origin
//	go test ./learn/internal/chapters -args -rewrite   # writes them
package chapters
