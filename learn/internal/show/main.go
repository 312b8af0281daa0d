// Command show prints the run of the chapter of a step, whose name is its argument. The
// command of the course builds it for go run ./learn show.
package main

import (
	"fmt"
	"os"

	"github.com/thinformer/thinformer/learn/internal/steps"
)

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: go run ./learn show STEP")
		os.Exit(2)
	}
	if err := steps.MustFind(os.Args[1]).Show(os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
