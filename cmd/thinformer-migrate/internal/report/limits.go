package report

import (
	"fmt"
	"slices"
	"strings"

	"github.com/thinformer/thinformer/cmd/thinformer-migrate/internal/program"
	"github.com/thinformer/thinformer/cmd/thinformer-migrate/internal/proposal"
	"github.com/thinformer/thinformer/cmd/thinformer-migrate/internal/standin"
)

// Unexamined returns a line for each file and package that has not been examined, with the
// reason.
func Unexamined(found *proposal.Proposal) []string {
	w := &writer{p: found.Program}
	var lines []string
	for _, problem := range found.Program.Problems {
		if isUnrequired(problem, standin.Module) {
			continue // the patch has been applied; the commands at the end require them
		}
		lines = append(lines, oneLine(problem))
	}
	for _, broken := range found.Broken {
		lines = append(lines, fmt.Sprintf("package %s does not compile and stays, with the packages of this module that it imports; correct it, or run the tool with its build tags: %s", broken.Package.Path, oneLine(broken.Errors[0])))
	}
	lines = append(lines, w.excluded(found)...)
	lines = append(lines, w.copies()...)
	return lines
}

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
