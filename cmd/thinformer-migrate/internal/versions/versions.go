package versions

import (
	_ "embed"
	"fmt"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/mod/modfile"
	"golang.org/x/mod/semver"

	"github.com/thinformer/thinformer/cmd/thinformer-migrate/internal/program"
	"github.com/thinformer/thinformer/cmd/thinformer-migrate/internal/standin"
)

// The go.mod files of this project's modules. A test holds them equal.
//
//go:embed root.txt
var rootFile []byte

//go:embed interop.txt
var interopFile []byte

// Oldest is the oldest release of client-go whose programs the tool knows.
const Oldest = "v0.35.0"

// A Raise is a version that go mod tidy will raise.
type Raise struct {
	Path, From, To string
	// Replace is the replacement in the user's go.mod, which go mod tidy keeps.
	Replace string
}

// required returns the versions that the modules require, "go" for the language.
func required(interop bool) (map[string]string, error) {
	all := map[string]string{}
	files := map[string][]byte{"go.mod": rootFile}
	if interop {
		files["interop/go.mod"] = interopFile
	}
	for name, text := range files {
		parsed, err := modfile.ParseLax(name, text, nil)
		if err != nil {
			return nil, fmt.Errorf("read the embedded %s: %w", name, err)
		}
		for _, r := range parsed.Require {
			if !strings.HasPrefix(r.Mod.Path, standin.Module) {
				all[r.Mod.Path] = newer(all[r.Mod.Path], r.Mod.Version)
			}
		}
		all["go"] = newer(all["go"], "v"+parsed.Go.Version)
	}
	return all, nil
}

func newer(a, b string) string {
	if semver.Compare(a, b) > 0 {
		return a
	}
	return b
}

// Raises returns the versions of a program's module that a requirement of this project will
// raise, in the order of paths, the language first. Interop reports whether package interop
// or one below it will be imported.
func Raises(p *program.Program, interop bool) ([]Raise, error) {
	wanted, err := required(interop)
	if err != nil {
		return nil, err
	}
	var raises []Raise
	if p.Main != nil && p.Main.GoVersion != "" && semver.Compare("v"+p.Main.GoVersion, wanted["go"]) < 0 {
		raises = append(raises, Raise{Path: "go", From: p.Main.GoVersion, To: strings.TrimPrefix(wanted["go"], "v")})
	}
	var modules []Raise
	for _, m := range selected(p) {
		if to := wanted[m.Path]; to != "" && semver.Compare(m.From, to) < 0 {
			m.To = to
			modules = append(modules, m)
		}
	}
	slices.SortFunc(modules, func(a, b Raise) int { return strings.Compare(a.Path, b.Path) })
	return append(raises, modules...), nil
}

// selected returns the modules of the user's module graph with their versions. If the go
// command cannot list them, as in a module with a vendor folder and no network, these are
// the modules of the imported packages.
func selected(p *program.Program) []Raise {
	command := exec.Command("go", "list", "-m", "-mod=readonly", "-f", "{{.Path}} {{.Version}} {{with .Replace}}{{.Path}} {{.Version}}{{end}}", "all")
	command.Dir = p.Dir
	var all []Raise
	if out, err := command.Output(); err == nil {
		for line := range strings.Lines(string(out)) {
			if words := strings.Fields(line); len(words) >= 2 && semver.IsValid(words[1]) {
				all = append(all, Raise{Path: words[0], From: words[1], Replace: replacement(p.Dir, words[2:])})
			}
		}
		return all
	}
	for path, m := range p.Modules {
		r := Raise{Path: path, From: m.Version}
		if m.Replace != nil {
			r.Replace = replacement(p.Dir, []string{m.Replace.Path, m.Replace.Version})
		}
		all = append(all, r)
	}
	return all
}

func replacement(dir string, words []string) string {
	if len(words) > 0 && filepath.IsAbs(words[0]) {
		if short, err := filepath.Rel(dir, words[0]); err == nil {
			words[0] = filepath.ToSlash(short)
		}
	}
	return strings.TrimSpace(strings.Join(words, " "))
}

// clientGo are the modules that are updated together, by the number of a release.
var clientGo = []string{"k8s.io/client-go", "k8s.io/api", "k8s.io/apimachinery"}

// ClientGo returns the version of client-go that the program is built with, and "" if it has
// none.
func ClientGo(p *program.Program) string {
	m := p.Modules[clientGo[0]]
	switch {
	case m == nil:
		return ""
	case m.Replace != nil && m.Replace.Version != "":
		return m.Replace.Version
	default:
		return m.Version
	}
}

// IsOld reports whether a version of client-go is older than the oldest known one.
func IsOld(version string) bool {
	return semver.IsValid(version) && semver.Compare(version, Oldest) < 0
}

// Update returns the commands that update a client-go that is too old to the version that
// this project requires, and none if it is not too old. A replacement by another version
// would keep that one.
func Update(p *program.Program) []string {
	if !IsOld(ClientGo(p)) {
		return nil
	}
	wanted, err := required(true)
	if err != nil {
		return []string{err.Error()} // a test reads the embedded files
	}
	var commands []string
	get := "go get"
	for _, path := range clientGo {
		if m := p.Modules[path]; m != nil && m.Replace != nil && m.Replace.Version != "" {
			commands = append(commands, "go mod edit -dropreplace="+path)
		}
		get += " " + path + "@" + wanted[path]
	}
	return append(commands, get)
}
