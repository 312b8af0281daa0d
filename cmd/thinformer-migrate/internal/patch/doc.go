// Package patch writes the differences of files in the unified format, for git apply.
//
//	patch.Write(w, "main.go", before, after)
//
// The names are relative to the folder in which git apply runs, also in a folder below
// the root of the repository.
package patch
