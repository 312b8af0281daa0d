// Command tables writes the merge table of the built-in kinds for apitest. It reads the
// struct tags and the markers in the sources of the Kubernetes API types.
//
//	go -C e2e run ./tables    # rewrites internal/kinds/merge.txt
//
// The tests compare the table with the sources, with client-go's schema, with apimachinery's
// patches of the Go types and with the schemas of a real kube-apiserver.
package main

import (
	"fmt"
	"os"
)

// table is the path of the result, relative to the folder e2e.
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
