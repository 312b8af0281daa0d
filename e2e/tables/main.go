// Tables writes the merge table of the built-in kinds, which apitest carries,
// from the sources of the Kubernetes API types: their struct tags and the
// markers in their comments.
//
//	go -C e2e run ./tables    # writes internal/kinds/merge.txt anew
//
// The tests hold what stands there against the sources, against client-go's
// own schema, against apimachinery's patches of the Go types and against what
// a real kube-apiserver publishes.
package main

import (
	"fmt"
	"os"
)

// table is where the result lies, from the folder e2e.
const table = "../internal/kinds/merge.txt"

func main() {
	text, err := generate()
	if err == nil {
		err = os.WriteFile(table, text, 0o644)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "tables:", err)
		os.Exit(1)
	}
}
