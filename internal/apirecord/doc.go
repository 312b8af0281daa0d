// Package apirecord records the exported API of packages, so that a change of it is
// noticed.
//
// [Load] reads the packages of a module by their export data. [Lines] describes one
// package: one line for each exported name, field and method, sorted. [Compare]
// compares the lines of a checked-in file with those of the code, and separates
// compatible changes (additions) from incompatible ones (breaks).
//
// The files are in the folder api of the repository: api/rest.txt for package rest,
// api/rest/discovery.txt for rest/discovery. To record an addition:
//
//	go test ./internal/apirecord -args -record
//
// To record a break, which docs/compatibility.md restricts:
//
//	go test ./internal/apirecord -args -record -breaks
//
// The package is for the tests of the root module and of interop. It is not part of the
// library. Its counterpart in Go's own repository is cmd/api with the folder api.
package apirecord
