package factory

import (
	"fmt"
	"go/token"
	"go/types"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// imports has the imports of the file: the name of each path, all different.
type imports struct {
	names map[string]string
	taken map[string]bool
}

// newImports reserves the identifiers of the file.
func newImports(reserved ...string) *imports {
	i := &imports{names: map[string]string{}, taken: map[string]bool{}}
	for _, name := range reserved {
		i.taken[name] = true
	}
	return i
}

var versionName = regexp.MustCompile(`^v[0-9]+((alpha|beta)[0-9]+)?$`)

// of returns the name of a package in the file, and imports it. The package of a version is
// named after its group too, such as appsv1. Predeclared names, such as string, stay free.
func (i *imports) of(importPath, packageName string) string {
	if name, known := i.names[importPath]; known {
		return name
	}
	name := packageName
	if versionName.MatchString(name) {
		name = identifier(path.Base(path.Dir(importPath))) + name
	}
	for number := 2; i.taken[name] || token.IsKeyword(name) || types.Universe.Lookup(name) != nil; number++ {
		name = strings.TrimRight(name, "0123456789_") + "_" + strconv.Itoa(number)
	}
	i.names[importPath] = name
	i.taken[name] = true
	return name
}

// as imports a package under a name that the file reserves for it.
func (i *imports) as(importPath, name string) {
	i.names[importPath] = name
	i.taken[name] = true
}

func identifier(text string) string {
	return strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= '0' && r <= '9' {
			return r
		}
		return -1
	}, strings.ToLower(text))
}

// block returns the import declaration: the standard library first.
func (i *imports) block() string {
	var standard, others []string
	for importPath, name := range i.names {
		line := fmt.Sprintf("\t%s %q\n", name, importPath)
		if path.Base(importPath) == name {
			line = fmt.Sprintf("\t%q\n", importPath)
		}
		if strings.Contains(importPath, ".") {
			others = append(others, line)
		} else {
			standard = append(standard, line)
		}
	}
	byPath := func(a, b string) int { return strings.Compare(a[strings.Index(a, `"`):], b[strings.Index(b, `"`):]) }
	slices.SortFunc(standard, byPath)
	slices.SortFunc(others, byPath)
	return "import (\n" + strings.Join(standard, "") + "\n" + strings.Join(others, "") + ")\n"
}
