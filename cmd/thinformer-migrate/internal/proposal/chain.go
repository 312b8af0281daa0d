package proposal

import (
	"slices"
	"strings"

	"github.com/thinformer/thinformer/cmd/thinformer-migrate/internal/program"
)

// chain says how two units are connected by imports, such as "a imports b, c imports b", and
// returns "" for the same unit. It is one of the shortest connections.
func (s *solver) chain(from, to string) string {
	type edge struct{ unit, text string }
	edges := map[string][]edge{}
	for _, pkg := range s.found.Affected {
		for _, imported := range s.importedBy(pkg) {
			text := pkg.Unit + " imports " + imported.Unit
			edges[pkg.Unit] = append(edges[pkg.Unit], edge{imported.Unit, text})
			edges[imported.Unit] = append(edges[imported.Unit], edge{pkg.Unit, text})
		}
	}
	texts := map[string][]string{from: nil}
	for next := []string{from}; len(next) > 0; next = next[1:] {
		for _, e := range edges[next[0]] {
			if _, ok := texts[e.unit]; !ok {
				texts[e.unit] = append(slices.Clone(texts[next[0]]), e.text)
				next = append(next, e.unit)
			}
		}
	}
	return strings.Join(texts[to], ", ")
}

// importedBy returns the packages of the module that a package imports, in the order of their
// IDs. A package with its tests does not import itself.
func (s *solver) importedBy(pkg *program.Package) []*program.Package {
	var list []*program.Package
	for _, id := range pkg.Imports {
		if imported := s.c.p.Package(id); imported != nil && imported.Unit != pkg.Unit {
			list = append(list, imported)
		}
	}
	slices.SortFunc(list, func(a, b *program.Package) int { return strings.Compare(a.ID, b.ID) })
	return list
}
