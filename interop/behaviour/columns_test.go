package behaviour

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
	"unicode/utf8"
)

var (
	rewrite = flag.Bool("rewrite", false, "write testdata/behaviour.txt anew")
	only    = flag.String("only", "", "play only the scenes whose names match, and show both columns")
	column  = flag.String("column", "", "in a child: the file for what the scenes say")
	from    = flag.Int("from", 0, "in a child: the first scene to play")
)

// slowest is how long a scene may take: its time is its own, so what takes
// longer hangs.
const slowest = 20 * time.Second

// TestScenes plays the scenes in the child that TestBothColumns has started. A
// scene that ends the process, or hangs, costs itself: the parent goes on with
// the one after it.
func TestScenes(t *testing.T) {
	if *column == "" {
		t.Skip("TestBothColumns runs it, once for each library")
	}
	file, logged := openColumn(t, *column), hush()
	defer file.Close()
	for _, of := range scenes()[*from:] {
		fmt.Fprintf(file, "== %s\n", of.name)
		if !wanted(of) {
			fmt.Fprintf(file, "==\n")
			continue
		}
		hangs := time.AfterFunc(slowest, func() {
			fmt.Fprintf(file, "\thangs\n")
			os.Exit(3)
		})
		t.Run(of.name, func(t *testing.T) { perform(t, of, file, logged) })
		hangs.Stop()
		fmt.Fprintf(file, "==\n")
	}
}

func wanted(of scene) bool {
	return *only == "" || regexp.MustCompile(*only).MatchString(of.name)
}

// The scenes are played with client-go, and with its import paths replaced by
// ours. Both do the same, but for what the table in docs/migration.md says.
func TestBothColumns(t *testing.T) {
	theirs, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	there, here := play(t, theirs), play(t, switched(t))
	var transcript strings.Builder
	transcript.WriteString("What is said by both stands once. Where they differ, client-go is on the left, and this module on the right.\n")
	for i, of := range scenes() {
		if !wanted(of) {
			continue
		}
		transcript.WriteString("\n" + sideBySide(of, there[i], here[i]))
		equal := slices.Equal(there[i], here[i])
		switch {
		case equal && of.rows != "":
			t.Errorf("%s: both do the same, and the table has %s", of.name, of.rows)
		case !equal && of.rows == "":
			t.Errorf("%s: a difference that is not in the table:\n%s", of.name, sideBySide(of, there[i], here[i]))
		}
	}
	const kept = "testdata/behaviour.txt"
	if *only != "" {
		t.Log("\n" + transcript.String())
		return
	}
	if *rewrite {
		if err := os.WriteFile(kept, []byte(transcript.String()), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	before, err := os.ReadFile(kept)
	if err != nil {
		t.Fatal(err)
	}
	if string(before) != transcript.String() {
		t.Errorf("what is said has changed: see the difference by go test ./behaviour -args -rewrite, and git diff:\n%s",
			sideBySide(scene{name: "before | now"}, strings.Split(string(before), "\n"), strings.Split(transcript.String(), "\n")))
	}
}

// The table has each row once, each scene that differs names rows of it, and
// each row has a scene, but for those that say here why not.
func TestEveryRowIsShown(t *testing.T) {
	text, err := os.ReadFile("../../docs/migration.md")
	if err != nil {
		t.Fatal(err)
	}
	_, section, _ := strings.Cut(string(text), "\n## What behaves differently\n")
	section, _, _ = strings.Cut(section, "\n## ")
	rows := map[string]bool{}
	for _, found := range regexp.MustCompile("(?m)^\\| `([^`]*)` \\| [^|]+ \\| [^|]+ \\| [^|]+ \\|$").FindAllStringSubmatch(section, -1) {
		if rows[found[1]] {
			t.Errorf("the table has %s twice", found[1])
		}
		rows[found[1]] = true
	}
	if lines := strings.Count(section, "\n| `"); lines != len(rows) || lines < 20 {
		t.Errorf("%d rows of %d have four columns", len(rows), lines)
	}
	shown := map[string]bool{}
	for _, of := range scenes() {
		for row := range strings.FieldsSeq(of.rows) {
			shown[row] = true
			if !rows[row] {
				t.Errorf("%s: the table has no row %s", of.name, row)
			}
			if notShown[row] != "" {
				t.Errorf("%s is shown by %s after all", row, of.name)
			}
		}
	}
	for row := range rows {
		if !shown[row] && len(notShown[row]) < 20 {
			t.Errorf("no scene shows %s, and nothing says why", row)
		}
	}
	for row := range notShown {
		if !rows[row] {
			t.Errorf("the table has no row %s to be shown", row)
		}
	}
}

// play is what each scene says in a binary: one child after another, each
// beginning where the last one has ended.
func play(t *testing.T, binary string) [][]string {
	t.Helper()
	said := make([][]string, len(scenes()))
	for next := 0; next < len(said); {
		file := filepath.Join(t.TempDir(), "column")
		child := exec.Command(binary, "-test.run=^TestScenes$", "-column="+file, "-from="+strconv.Itoa(next), "-only="+*only)
		complaints, err := child.CombinedOutput()
		text, errOfFile := os.ReadFile(file)
		if errOfFile != nil {
			t.Fatalf("%v, and %v\n%s", err, errOfFile, complaints)
		}
		for _, part := range strings.Split(string(text), "== ")[1:] {
			lines := strings.Split(strings.TrimSuffix(part, "\n"), "\n")[1:]
			if n := len(lines); n > 0 && lines[n-1] == "==" {
				lines = lines[:n-1]
			} else if n == 0 || lines[n-1] != "\thangs" {
				lines = append(lines, "\t"+ending(complaints))
				t.Logf("%s: %s", scenes()[next].name, complaints[:min(len(complaints), 2000)])
			} else {
				t.Logf("%s hangs", scenes()[next].name)
			}
			said[next] = lines
			next++
		}
	}
	return said
}

// ending is how a child has ended that was not at its end.
func ending(complaints []byte) string {
	if strings.Contains(string(complaints), "blocked goroutines remain") || strings.Contains(string(complaints), "all goroutines in bubble are blocked") {
		return "leaves goroutines that nothing can end"
	}
	return "ends the process"
}

// switched is this test built with the imports that a program changes.
func switched(t *testing.T) string {
	t.Helper()
	folder, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	replace := map[string]string{}
	into := t.TempDir()
	for _, name := range files {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		changed := filepath.Join(into, name)
		if err := os.WriteFile(changed, []byte(imports.Replace(string(text))), 0o600); err != nil {
			t.Fatal(err)
		}
		replace[filepath.Join(folder, name)] = changed
	}
	overlay, err := json.Marshal(map[string]any{"Replace": replace})
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(into, "overlay.json")
	if err := os.WriteFile(file, overlay, 0o600); err != nil {
		t.Fatal(err)
	}
	binary := filepath.Join(into, "switched.test")
	if out, err := exec.Command("go", "test", "-c", "-vet=off", "-overlay", file, "-o", binary, ".").CombinedOutput(); err != nil {
		t.Fatalf("with other imports this does not build: %v\n%s", err, out)
	}
	return binary
}

// imports is the switch.
var imports = strings.NewReplacer(
	`"k8s.io/client-go/tools/cache"`, `"github.com/thinformer/thinformer/cache"`,
	`"k8s.io/client-go/util/workqueue"`, `"github.com/thinformer/thinformer/workqueue"`,
)

// sideBySide writes down what both have said.
func sideBySide(of scene, there, here []string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "== %s", of.name)
	if of.rows != "" {
		fmt.Fprintf(&b, ": %s", of.rows)
	}
	b.WriteString("\n")
	wide := 0
	for _, line := range there {
		wide = max(wide, utf8.RuneCountInString(strings.TrimPrefix(line, "\t")))
	}
	put := func(left, mark, right string) {
		line := fmt.Sprintf("%-*s  %s  %s", wide, strings.TrimPrefix(left, "\t"), mark, strings.TrimPrefix(right, "\t"))
		b.WriteString("  " + strings.TrimRight(line, " ") + "\n")
	}
	for len(there) > 0 || len(here) > 0 {
		i, j := nextCommon(there, here)
		for k := range max(i, j) {
			put(at(there[:i], k), "|", at(here[:j], k))
		}
		there, here = there[i:], here[j:]
		if len(there) > 0 {
			b.WriteString("  " + strings.TrimPrefix(there[0], "\t") + "\n")
			there, here = there[1:], here[1:]
		}
	}
	return b.String()
}

func at(lines []string, k int) string {
	if k < len(lines) {
		return lines[k]
	}
	return ""
}

// nextCommon is where the next line stands that both have: the one that leaves
// out the fewest.
func nextCommon(there, here []string) (i, j int) {
	for skipped := range len(there) + len(here) {
		for i := range min(skipped, len(there)-1) + 1 {
			if j := skipped - i; i < len(there) && j >= 0 && j < len(here) && there[i] == here[j] {
				return i, j
			}
		}
	}
	return len(there), len(here)
}
