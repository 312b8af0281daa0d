package program

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/tools/go/packages"
)

// Load reads the packages of the module in a folder, with their tests. More are the paths of
// other packages whose types are needed; those that the module does not have are ignored.
func Load(dir string, more func(imported []string) []string) (*Program, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return nil, fmt.Errorf("find the folder %s: %w", dir, err)
	}
	found, err := locate(dir)
	if err != nil {
		return nil, err
	}
	p := &Program{Dir: dir, Fset: token.NewFileSet(), Modules: map[string]*packages.Module{}, exports: map[string]string{}, byID: map[string]*Package{}}
	listed, err := packages.Load(&packages.Config{
		Dir: dir, Tests: true,
		Mode: packages.NeedName | packages.NeedFiles | packages.NeedImports | packages.NeedModule | packages.NeedForTest,
	}, "./...")
	if err != nil {
		return nil, fmt.Errorf("list the packages in %s: %w", dir, printed(err))
	}
	byID, files := map[string]*packages.Package{}, map[string]*File{}
	for _, l := range listed {
		byID[l.ID] = l
	}
	added := map[string]bool{}
	var add func(l *packages.Package)
	add = func(l *packages.Package) {
		if added[l.ID] || strings.HasSuffix(l.ID, ".test") {
			return // the main package of a test binary is generated
		}
		added[l.ID] = true
		for _, path := range sortedKeys(l.Imports) {
			if imported := byID[l.Imports[path].ID]; imported != nil {
				add(imported)
			}
		}
		p.addPackage(l, files)
	}
	for _, l := range listed {
		add(l)
	}
	if err := p.unlisted(found); err != nil {
		return nil, err
	}
	p.addExports(more)
	p.notes(found)
	return p, nil
}

func (p *Program) addPackage(l *packages.Package, files map[string]*File) {
	pkg := &Package{ID: l.ID, Path: l.PkgPath, Name: l.Name, Unit: l.PkgPath, Imports: map[string]string{}}
	if l.Module != nil && l.Module.Main && p.Main == nil {
		p.Main = l.Module
	}
	for path, imported := range l.Imports {
		pkg.Imports[path] = imported.ID
	}
	for _, e := range l.Errors {
		if len(l.GoFiles) == 0 {
			p.Problems = append(p.Problems, e.Error())
			continue
		}
		pkg.Errors = append(pkg.Errors, e.Error())
	}
	for _, name := range l.GoFiles {
		file, err := p.file(name, files, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			pkg.Errors = append(pkg.Errors, err.Error())
		}
		if file != nil {
			pkg.Files = append(pkg.Files, file)
		}
	}
	for _, name := range l.IgnoredFiles {
		if filepath.Ext(name) != ".go" {
			continue
		}
		if file, _ := p.file(name, files, parser.ImportsOnly|parser.ParseComments); file != nil {
			pkg.Excluded = append(pkg.Excluded, file)
		}
	}
	if len(pkg.Files)+len(pkg.Excluded) > 0 {
		p.Packages = append(p.Packages, pkg)
		p.byID[pkg.ID] = pkg
	}
}

// file parses a file once.
func (p *Program) file(name string, files map[string]*File, mode parser.Mode) (*File, error) {
	if file := files[name]; file != nil {
		return file, nil
	}
	source, err := os.ReadFile(name)
	if err != nil {
		return nil, fmt.Errorf("read a file of the module: %w", err)
	}
	syntax, err := parser.ParseFile(p.Fset, name, source, mode)
	if syntax == nil {
		return nil, err
	}
	file := &File{Path: name, Source: source, Syntax: syntax, Generated: ast.IsGenerated(syntax), Imports: imports(p.Fset, syntax)}
	files[name] = file
	return file, err
}

func imports(fset *token.FileSet, syntax *ast.File) []Import {
	var all []Import
	for _, spec := range syntax.Imports {
		path, err := strconv.Unquote(spec.Path.Value)
		if err != nil {
			continue // the parser has reported it
		}
		name := ""
		if spec.Name != nil {
			name = spec.Name.Name
		}
		all = append(all, Import{Path: path, Name: name, Line: fset.PositionFor(spec.Pos(), false).Line, Spec: spec})
	}
	return all
}

// addExports finds the export data of the packages of other modules.
func (p *Program) addExports(more func([]string) []string) {
	external := map[string]bool{}
	for _, pkg := range p.Packages {
		for path, id := range pkg.Imports {
			if path != "C" && path != "unsafe" && p.Package(id) == nil {
				external[path] = true
			}
		}
	}
	imported := sortedKeys(external)
	patterns := append(slices.Clone(imported), more(imported)...)
	if len(patterns) == 0 {
		return
	}
	problems, err := p.compile(patterns)
	if err != nil {
		p.Problems = append(p.Problems, err.Error())
	}
	for _, path := range imported {
		p.Problems = append(p.Problems, problems[path]...)
	}
}

// Require finds the export data of more packages of other modules.
func (p *Program) Require(paths []string) error {
	var missing []string
	for _, path := range paths {
		if p.exports[path] == "" {
			missing = append(missing, path)
		}
	}
	if len(missing) == 0 {
		return nil
	}
	_, err := p.compile(missing)
	return err
}

// compile finds the export data of packages. It returns their errors by path.
func (p *Program) compile(paths []string) (problems map[string][]string, err error) {
	loaded, err := packages.Load(&packages.Config{
		Dir:  p.Dir,
		Mode: packages.NeedName | packages.NeedExportFile | packages.NeedModule,
	}, paths...)
	if err != nil {
		return nil, fmt.Errorf("compile the packages that the module imports: %w", err)
	}
	problems = map[string][]string{}
	for _, l := range loaded {
		if l.ExportFile != "" {
			p.exports[l.PkgPath] = l.ExportFile
		}
		if l.Module != nil {
			p.Modules[l.Module.Path] = l.Module
		}
		for _, e := range l.Errors {
			problems[l.PkgPath] = append(problems[l.PkgPath], e.Error())
		}
	}
	if p.read == nil {
		p.read = newExportReader(p.exports)
	}
	return problems, nil
}

func sortedKeys[V any](m map[string]V) []string {
	var keys []string
	for key := range m {
		keys = append(keys, key)
	}
	slices.Sort(keys)
	return keys
}
