package proposal

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/types"

	"github.com/thinformer/thinformer/cmd/thinformer-migrate/internal/program"
	"github.com/thinformer/thinformer/cmd/thinformer-migrate/internal/standin"
)

// checker type-checks the program with changed files. It checks a package again only if
// its files or the packages that it imports have changed.
type checker struct {
	p        *program.Program
	affected []*program.Package
	others   map[string]*types.Package // other packages of the module, by ID
	standins map[string]*types.Package
	last     map[string]*checked
	// generated are the packages that the patch adds, by import path.
	generated map[string]*types.Package
}

type checked struct {
	files   []*ast.File
	imports map[string]*program.Result
	result  *program.Result
}

func newChecker(p *program.Program, affected []*program.Package) *checker {
	return &checker{p: p, affected: affected, others: map[string]*types.Package{}, standins: map[string]*types.Package{}, last: map[string]*checked{}, generated: map[string]*types.Package{}}
}

// check returns the results by package ID. Syntax returns the changed syntax of a file.
func (c *checker) check(syntax func(*program.File) *ast.File) map[string]*program.Result {
	results := map[string]*program.Result{}
	for _, pkg := range c.affected {
		var files []*ast.File
		for _, file := range pkg.Files {
			files = append(files, syntax(file))
		}
		imports := map[string]*program.Result{}
		for _, id := range pkg.Imports {
			if result := results[id]; result != nil {
				imports[id] = result
			}
		}
		if last := c.last[pkg.ID]; last != nil && last.sameAs(files, imports) {
			results[pkg.ID] = last.result
			continue
		}
		result := c.p.Check(pkg.Path, files, func(path string) (*types.Package, error) {
			if id, ok := pkg.Imports[path]; ok {
				if result := imports[id]; result != nil {
					return result.Types, nil
				}
				if own := c.p.Package(id); own != nil {
					return c.other(own)
				}
			}
			return c.named(path) // an import that the change adds
		})
		c.last[pkg.ID] = &checked{files: files, imports: imports, result: result}
		results[pkg.ID] = result
	}
	return results
}

func (c *checked) sameAs(files []*ast.File, imports map[string]*program.Result) bool {
	for i, file := range files {
		if c.files[i] != file {
			return false
		}
	}
	for id, result := range imports {
		if c.imports[id] != result {
			return false
		}
	}
	return true
}

// other returns the types of a package of the module that cannot change.
func (c *checker) other(pkg *program.Package) (*types.Package, error) {
	if known := c.others[pkg.ID]; known != nil {
		return known, nil
	}
	var files []*ast.File
	for _, file := range pkg.Files {
		files = append(files, file.Syntax)
	}
	result := c.p.Declare(pkg.Path, files, func(path string) (*types.Package, error) {
		if own := c.p.Package(pkg.Imports[path]); own != nil {
			return c.other(own)
		}
		return c.external(path)
	})
	c.others[pkg.ID] = result
	return result, nil
}

// external returns the types of a package of another module, and the declarations of a
// package of this project that the user's module does not require.
func (c *checker) external(path string) (*types.Package, error) {
	if pkg := c.generated[path]; pkg != nil {
		return pkg, nil
	}
	source := standin.Source(path)
	if source == nil || c.required(path) {
		return c.p.External(path)
	}
	if known := c.standins[path]; known != nil {
		return known, nil
	}
	file, err := parser.ParseFile(c.p.Fset, path, source, parser.SkipObjectResolution)
	if err != nil {
		return nil, fmt.Errorf("parse the declarations of package %s: %w", path, err)
	}
	pkg, err := c.p.Declarations(path, file, c.external)
	if err != nil {
		return nil, err
	}
	c.standins[path] = pkg
	return pkg, nil
}

// required reports whether the module has a package of this project. If the program imports
// any of them, all others are those of the same version: a type of the declarations is not
// identical to that of a compiled package.
func (c *checker) required(path string) bool {
	if c.p.HasExternal(path) {
		return true
	}
	if !c.p.ImportsBelow(standin.Module) {
		return false
	}
	// If the module does not provide it, the declarations are used.
	return c.p.Require([]string{path}) == nil && c.p.HasExternal(path)
}
