package report

import (
	"fmt"
	"slices"
	"strings"

	"github.com/thinformer/thinformer/cmd/thinformer-migrate/internal/program"
	"github.com/thinformer/thinformer/cmd/thinformer-migrate/internal/proposal"
)

// excluded returns a line for each file that imports client-go and that build constraints
// exclude.
func (w *writer) excluded(found *proposal.Proposal) []string {
	var lines []string
	for _, pkg := range found.Affected {
		for _, file := range pkg.Excluded {
			for _, i := range file.Imports {
				if proposal.Watched(i.Path) {
					lines = append(lines, fmt.Sprintf("%s: build constraints exclude this file, which imports %s: run the tool again with its tags or system, such as GOFLAGS=-tags=NAME or GOOS=NAME", w.at(file, i.Line), i.Path))
					break
				}
			}
		}
	}
	slices.Sort(lines)
	return slices.Compact(lines)
}

// copies returns a line for each import of a copy of client-go under another path.
func (w *writer) copies() []string {
	var lines []string
	for _, pkg := range w.p.Packages {
		for _, file := range pkg.Files {
			for _, i := range file.Imports {
				if isCopy(i) {
					lines = append(lines, fmt.Sprintf("%s: %s is a copy of client-go with another path, whose informers stay", w.at(file, i.Line), i.Path))
				}
			}
		}
	}
	slices.Sort(lines)
	return slices.Compact(lines)
}

func isCopy(i program.Import) bool {
	if strings.HasPrefix(i.Path, "k8s.io/client-go/") {
		return false
	}
	for _, end := range []string{"client-go/tools/cache", "client-go/informers", "client-go/util/workqueue"} {
		if strings.HasSuffix(i.Path, "/"+end) {
			return true
		}
	}
	return false
}
