package apirecord

import (
	"slices"
	"strings"
)

// Changes are the differences between a recorded API and that of the code.
type Changes struct {
	// Breaks are recorded lines that the code no longer has, and new lines that break
	// other code: a method or an embedded type of a recorded interface, which other
	// types implement.
	Breaks []string
	// Additions are all other new lines.
	Additions []string
}

// Compare compares two results of Lines.
func Compare(recorded, current []string) Changes {
	var c Changes
	for _, line := range recorded {
		if !slices.Contains(current, line) {
			c.Breaks = append(c.Breaks, "missing: "+line)
		}
	}
	for _, line := range current {
		switch {
		case slices.Contains(recorded, line):
		case extendsInterface(line, recorded):
			c.Breaks = append(c.Breaks, "new in an interface: "+line)
		default:
			c.Additions = append(c.Additions, line)
		}
	}
	return c
}

// extendsInterface reports whether a line adds to an interface that is recorded.
func extendsInterface(line string, recorded []string) bool {
	var name string
	switch {
	case strings.HasPrefix(line, "interface "):
		name, _, _ = strings.Cut(strings.TrimPrefix(line, "interface "), " ")
	case strings.HasPrefix(line, "method ("):
		receiver, _, _ := strings.Cut(strings.TrimPrefix(line, "method ("), ")")
		var isInterface bool
		if name, isInterface = strings.CutSuffix(receiver, " interface"); !isInterface {
			return false
		}
	default:
		return false
	}
	return slices.ContainsFunc(recorded, func(known string) bool {
		return strings.HasPrefix(known, "type "+name+" interface") || strings.HasPrefix(known, "type "+name+"[")
	})
}
