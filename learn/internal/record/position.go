package record

import (
	"path/filepath"
	"regexp"
	"strings"
)

// A goroutine of a stack dump: its header and its frames. A frame is a function and,
// on the next line, a position.
var (
	frame = regexp.MustCompile(`(?m)^(\S+)\(.*\)\n\t(\S+\.go):(\d+)`)
	// own is the learner's code. With it run the references of the other steps, which a
	// reason names only if no frame is in the learner's code.
	own       = regexp.MustCompile(`/learn/_[a-z]+/`)
	reference = regexp.MustCompile(`/learn/internal/steps/[a-z]+/(reference|skeleton)/`)
)

// PositionIn returns the innermost frame of the first of the goroutines that is in the
// learner's code, as "Pop (queue.go:12)". Without one it returns that of a reference, and
// "" if there is none either.
func PositionIn(goroutines ...string) string {
	for _, folder := range []*regexp.Regexp{own, reference} {
		for _, goroutine := range goroutines {
			for _, match := range frame.FindAllStringSubmatch(goroutine, -1) {
				if function, file, line := match[1], match[2], match[3]; folder.MatchString(file) {
					return functionName(function) + " (" + filepath.Base(file) + ":" + line + ")"
				}
			}
		}
	}
	return ""
}

// functionName returns the part of a qualified name after the package.
func functionName(qualified string) string {
	name := qualified[strings.LastIndex(qualified, "/")+1:]
	_, name, _ = strings.Cut(name, ".")
	return strings.NewReplacer("(*", "", ")", "").Replace(name)
}
