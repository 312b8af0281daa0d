// Package standin has the declarations of this project's packages that replace packages of
// client-go, so that the tool can type-check a changed program without requiring this
// project.
//
// The files in packages/ have no function bodies. They are generated from the project's
// packages, and a test holds them equal:
//
//	go test ./internal/standin -args -record
//
// They import only packages that client-go's packages import as well, so that the versions
// of the user's module are used.
package standin
