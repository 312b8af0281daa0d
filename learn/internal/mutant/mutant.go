// Package mutant makes wrong solutions from a reference: declarations of a file replace
// those of the same name. An import that is not used any more is removed.
package mutant

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"path"
	"slices"
	"strconv"
	"strings"
)

// Files returns the files of a wrong solution by name. reference has the texts of the
// reference by name, and replacement is the text of the file called name.
func Files(reference map[string]string, name, replacement string) (map[string]string, error) {
	set := token.NewFileSet()
	syntax, err := parser.ParseFile(set, name, replacement, parser.SkipObjectResolution)
	if err != nil {
		return nil, err
	}
	var replaced []string
	for _, declared := range syntax.Decls {
		replaced = append(replaced, namesOf(declared)...)
	}
	files := map[string]string{}
	for file, text := range reference {
		text, err := without(text, replaced)
		if err != nil {
			return nil, fmt.Errorf("%s without what %s replaces: %w", file, name, err)
		}
		files[file] = text
	}
	if files[name] != "" {
		return nil, fmt.Errorf("the reference has a file %s too", name)
	}
	files[name] = replacement
	return files, nil
}

// without returns a file without the declarations of some names.
func without(text string, names []string) (string, error) {
	set := token.NewFileSet()
	syntax, err := parser.ParseFile(set, "", text, parser.SkipObjectResolution)
	if err != nil {
		return "", err
	}
	var removed [][2]token.Pos
	remove := func(node ast.Node) { removed = append(removed, [2]token.Pos{node.Pos(), node.End()}) }
	kept := map[string]bool{} // packages that are used
	for _, declared := range syntax.Decls {
		general, isGeneral := declared.(*ast.GenDecl)
		if isGeneral && general.Tok == token.IMPORT {
			continue
		}
		all := namesOf(declared)
		gone := slices.DeleteFunc(slices.Clone(all), func(name string) bool { return !slices.Contains(names, name) })
		switch {
		case len(gone) == len(all) && len(all) > 0:
			remove(declared)
			continue
		case len(gone) > 0:
			// One specification of a group.
			for _, spec := range general.Specs {
				if of := namesOfSpec(spec); slices.Contains(gone, of[0]) {
					remove(spec)
				} else {
					markUsed(spec, kept)
				}
			}
			continue
		}
		markUsed(declared, kept)
	}
	for _, declared := range syntax.Decls {
		general, ok := declared.(*ast.GenDecl)
		if !ok || general.Tok != token.IMPORT {
			continue
		}
		for _, spec := range general.Specs {
			if name := importName(spec.(*ast.ImportSpec)); name == "_" || kept[name] {
				continue
			}
			if general.Lparen.IsValid() {
				remove(spec)
			} else {
				remove(general)
			}
		}
	}
	return cut(set, text, removed), nil
}

// cut returns a text without some parts. Their lines stay, so that the other lines keep
// their numbers.
func cut(set *token.FileSet, text string, removed [][2]token.Pos) string {
	bytes := []byte(text)
	for _, part := range removed {
		for i := set.Position(part[0]).Offset; i < set.Position(part[1]).Offset; i++ {
			if bytes[i] != '\n' {
				bytes[i] = ' '
			}
		}
	}
	return string(bytes)
}

// namesOf returns the names of a declaration: "Pop", or "queue.Pop" for a method.
func namesOf(declared ast.Decl) (names []string) {
	switch declared := declared.(type) {
	case *ast.FuncDecl:
		name := declared.Name.Name
		if declared.Recv != nil {
			of := declared.Recv.List[0].Type
			if star, ok := of.(*ast.StarExpr); ok {
				of = star.X
			}
			if generic, ok := of.(*ast.IndexExpr); ok {
				of = generic.X
			}
			if of, ok := of.(*ast.Ident); ok {
				name = of.Name + "." + name
			}
		}
		return []string{name}
	case *ast.GenDecl:
		for _, spec := range declared.Specs {
			names = append(names, namesOfSpec(spec)...)
		}
	}
	return slices.DeleteFunc(names, func(name string) bool { return name == "_" })
}

func namesOfSpec(spec ast.Spec) (names []string) {
	switch spec := spec.(type) {
	case *ast.TypeSpec:
		names = append(names, spec.Name.Name)
	case *ast.ValueSpec:
		for _, name := range spec.Names {
			names = append(names, name.Name)
		}
	}
	return names
}

// markUsed marks the names before a dot: those of packages are among them.
func markUsed(node ast.Node, used map[string]bool) {
	ast.Inspect(node, func(node ast.Node) bool {
		if selected, ok := node.(*ast.SelectorExpr); ok {
			if of, ok := selected.X.(*ast.Ident); ok {
				used[of.Name] = true
			}
		}
		return true
	})
}

// importName returns the name of an imported package in a file.
func importName(spec *ast.ImportSpec) string {
	if spec.Name != nil {
		return spec.Name.Name
	}
	imported, err := strconv.Unquote(spec.Path.Value)
	if err != nil {
		return ""
	}
	if imported == "github.com/json-iterator/go" {
		return "jsoniter"
	}
	name := path.Base(imported)
	if strings.HasPrefix(name, "v") && strings.Trim(name[1:], "0123456789") == "" {
		name = path.Base(path.Dir(imported))
	}
	return name
}
