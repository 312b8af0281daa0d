package program

import (
	"go/ast"
	"go/token"
	"go/types"
	"strings"

	"golang.org/x/tools/go/packages"
)

// A Program is the module in a folder.
type Program struct {
	Dir     string
	Fset    *token.FileSet
	Main    *packages.Module            // nil if the folder is in no module
	Modules map[string]*packages.Module // the modules of all packages that the program imports, by path
	// Packages are the module's packages, each after those of the module that it imports.
	// A package with tests in it is here twice: without them and with them.
	Packages []*Package
	// Problems are the errors of the go command, such as a missing requirement.
	Problems []string
	// Notes are properties of the module that limit the examination.
	Notes []string
	// Vendored reports whether the module has a folder vendor.
	Vendored bool

	byID    map[string]*Package
	exports map[string]string // files with export data, by import path
	read    *exportReader
}

// A Package is a package of the module, as one program or test contains it.
type Package struct {
	ID, Path, Name string
	// Unit is the path of the package and, for a test package of its own, "_test". The
	// packages of one unit have the same files, and change together.
	Unit    string
	Files   []*File
	Imports map[string]string // package IDs, by import path
	// Excluded are the files that build constraints exclude.
	Excluded []*File
	Errors   []string // why the package does not compile
}

// A File is a file of the module.
type File struct {
	Path      string // absolute
	Source    []byte
	Syntax    *ast.File
	Generated bool
	Imports   []Import
}

// An Import is an import declaration.
type Import struct {
	Path, Name string // Name is "" if the package's name is used
	Line       int
	Spec       *ast.ImportSpec
}

// Package returns the package of the module with the ID, and nil for other IDs.
func (p *Program) Package(id string) *Package {
	return p.byID[id]
}

// Own reports whether an import path is that of a package of the module.
func (p *Program) Own(path string) bool {
	return p.Main != nil && (path == p.Main.Path || strings.HasPrefix(path, p.Main.Path+"/"))
}

// Affected returns the packages that import a package that match reports, and those that
// import such a package of the module, in the order of Packages. Other packages of the
// module cannot have a value of a type of these packages.
func (p *Program) Affected(match func(path string) bool) []*Package {
	affected := map[string]bool{}
	var list []*Package
	for _, pkg := range p.Packages {
		for path, id := range pkg.Imports {
			if match(path) || affected[id] {
				affected[pkg.ID] = true
				list = append(list, pkg)
				break
			}
		}
		if !affected[pkg.ID] {
			for _, file := range pkg.Excluded {
				for _, imported := range file.Imports {
					affected[pkg.ID] = affected[pkg.ID] || match(imported.Path)
				}
			}
			if affected[pkg.ID] {
				list = append(list, pkg)
			}
		}
	}
	return list
}

// A Result is the outcome of a type check.
type Result struct {
	Types  *types.Package
	Info   *types.Info
	Files  []*ast.File
	Errors []types.Error
}
