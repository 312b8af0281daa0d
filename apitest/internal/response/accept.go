package response

import (
	"slices"
	"strconv"
	"strings"
)

// accepted is one of the media types of an Accept header, with its parameters.
type accepted struct {
	kind, sub string // * is any
	quality   float64
	with      map[string]string
}

// parseAccept parses an Accept header, best first. It skips invalid media
// types.
func parseAccept(header string) (all []accepted) {
	for clause := range strings.SplitSeq(header, ",") {
		parts := strings.Split(clause, ";")
		a := accepted{quality: 1, with: map[string]string{}}
		var two bool
		if a.kind, a.sub, two = strings.Cut(strings.TrimSpace(parts[0]), "/"); !two {
			if a.kind != "*" {
				continue
			}
			a.sub = "*"
		}
		for _, parameter := range parts[1:] {
			name, value, two := strings.Cut(strings.TrimSpace(parameter), "=")
			switch {
			case !two:
			case name == "q":
				if q, err := strconv.ParseFloat(value, 64); err == nil && q >= 0 {
					a.quality = q // NaN is excluded, since it cannot be sorted
				}
			default:
				a.with[name] = strings.Trim(value, `"`)
			}
		}
		all = append(all, a)
	}
	slices.SortStableFunc(all, func(a, b accepted) int {
		switch {
		case a.quality != b.quality:
			return order(a.quality > b.quality)
		case (a.kind == "*") != (b.kind == "*"):
			return order(b.kind == "*")
		case (a.sub == "*") != (b.sub == "*"):
			return order(b.sub == "*")
		}
		return 0
	})
	return all
}

func order(first bool) int {
	if first {
		return -1
	}
	return 1
}

func (a accepted) takes(sub string) bool {
	return a.kind == "*" && a.sub == "*" || a.kind == "application" && (a.sub == "*" || a.sub == sub)
}
