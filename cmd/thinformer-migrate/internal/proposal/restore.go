package proposal

import (
	"go/types"
	"maps"
	"slices"
	"strings"

	"github.com/thinformer/thinformer/cmd/thinformer-migrate/internal/program"
	"github.com/thinformer/thinformer/cmd/thinformer-migrate/internal/standin"
)

// restore tries each decision that a type error has caused without it: a later decision may
// have made it unnecessary. A decision that is still needed has the reason of this attempt,
// with the other decisions as they are.
func (s *solver) restore() {
	before := s.wrong()
	// An error about tools/cache may have kept the other imports of a package with it: they
	// come first.
	for _, cause := range s.causes {
		if cause.path != standin.ClientCache {
			s.restoreImport(cause, before)
		}
	}
	s.restoreConstructors(before)
	for _, cause := range s.causes {
		if cause.path == standin.ClientCache {
			s.restoreImport(cause, before)
		}
	}
	s.restoreTogether(before)
}

// restoreTogether tries all imports of a unit but one: two packages whose types are used
// together can only change together.
func (s *solver) restoreTogether(before int) {
	byUnit := map[string][]string{}
	for _, cause := range s.causes {
		if s.keep[cause.unit][cause.path] != "" && s.keep[cause.unit][all] == "" && !slices.Contains(byUnit[cause.unit], cause.path) {
			byUnit[cause.unit] = append(byUnit[cause.unit], cause.path)
		}
	}
	for _, unit := range slices.Sorted(maps.Keys(byUnit)) {
		for _, stays := range byUnit[unit] {
			if len(byUnit[unit]) < 3 {
				break // the others are one, which has been tried
			}
			if _, ok := s.try(before, unit, func() {
				maps.DeleteFunc(s.keep[unit], func(path, _ string) bool { return path != stays && slices.Contains(byUnit[unit], path) })
			}); ok {
				break
			}
		}
	}
}

func (s *solver) restoreImport(o origin, before int) {
	if s.keep[o.unit][all] != "" {
		return
	}
	reason, ok := s.try(before, o.unit, func() { delete(s.keep[o.unit], o.path) })
	if !ok && reason != "" {
		s.keep[o.unit][o.path] = reason
	}
}

// restoreConstructors tries the constructors of each unit, and then of each import.
func (s *solver) restoreConstructors(before int) {
	byUnit := map[string][]located{}
	for at := range s.plain {
		byUnit[s.unitOf[at.file]] = append(byUnit[s.unitOf[at.file]], at)
	}
	for _, unit := range slices.Sorted(maps.Keys(byUnit)) {
		places := byUnit[unit]
		_, ok := s.try(before, unit, func() {
			for _, at := range places {
				delete(s.plain, at)
			}
		})
		if ok {
			continue
		}
		slices.SortFunc(places, func(a, b located) int {
			return strings.Compare(a.file.Path+"\n"+a.path, b.file.Path+"\n"+b.path)
		})
		for _, at := range places {
			if reason, ok := s.try(before, unit, func() { delete(s.plain, at) }); !ok && reason != "" {
				s.plain[at] = reason
			}
		}
	}
}

// try makes a change of the decisions, and takes it back if the program has more errors than
// before or another meaning. It returns the reason. Unit is the one that the change concerns.
func (s *solver) try(before int, unit string, change func()) (reason string, ok bool) {
	keep, plain, wraps := map[string]map[string]string{}, maps.Clone(s.plain), maps.Clone(s.wraps)
	for unit, reasons := range s.keep {
		keep[unit] = maps.Clone(reasons)
	}
	change()
	for {
		s.results = s.c.check(s.syntax)
		if s.wrong() <= before {
			break
		}
		pkg, result := s.firstWrong()
		if !s.wrapArguments(pkg, result) {
			reason = s.reasonIn(pkg, result.Errors[0], unit)
			s.keep, s.plain, s.wraps = keep, plain, wraps
			return reason, false
		}
	}
	if s.resolveMeaning() {
		for unit, reasons := range s.keep {
			for path, new := range reasons {
				if keep[unit][path] == "" {
					reason = new
				}
			}
		}
		s.keep, s.plain, s.wraps = keep, plain, wraps
		return reason, false
	}
	return "", true
}

// reasonIn returns a sentence about an error, which can be in a package that imports the one
// that changes.
func (s *solver) reasonIn(pkg *program.Package, e types.Error, unit string) string {
	reason, chain := s.reason(e), s.chain(pkg.Unit, unit)
	if chain == "" || pkg.Path == unit {
		return reason
	}
	longer := reason + "; " + chain
	s.at[longer] = s.at[reason]
	return longer
}

// wrong returns how many errors the packages have that can change.
func (s *solver) wrong() (count int) {
	for _, pkg := range s.found.Affected {
		if s.keep[pkg.Unit][all] == "" {
			count += len(s.results[pkg.ID].Errors)
		}
	}
	return count
}

// firstWrong returns the first package with an error. The errors of the packages that import
// it may be consequences.
func (s *solver) firstWrong() (*program.Package, *program.Result) {
	for _, pkg := range s.found.Affected {
		if result := s.results[pkg.ID]; s.keep[pkg.Unit][all] == "" && len(result.Errors) > 0 {
			return pkg, result
		}
	}
	return nil, nil
}
