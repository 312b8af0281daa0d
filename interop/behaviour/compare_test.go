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
	rewrite = flag.Bool("rewrite", false, "rewrite testdata/behaviour.txt")
	only    = flag.String("only", "", "run only the cases whose names match, and print both outputs")
	output  = flag.String("output", "", "in a child process: the file for the output of the cases")
	from    = flag.Int("from", 0, "in a child process: the first case to run")
)

// byFactory is the beginning of a line with the number of a case's informers that a factory
// has created.
const byFactory = "\tby a factory: "

// slowest is the real time after which a case counts as hanging. The time within a
// case is that of its synctest bubble.
const slowest = 2 * time.Minute

// TestCases runs the cases in the child process that TestBothLibrariesBehaveAlike
// starts. If a case ends the process, or hangs, the parent process starts another
// one for the cases after it.
func TestCases(t *testing.T) {
	if *output == "" {
		t.Skip("TestBothLibrariesBehaveAlike runs it, once for each library")
	}
	file, logged := openOutput(t, *output), countLogLines()
	defer file.Close()
	for _, of := range testCases()[*from:] {
		fmt.Fprintf(file, "== %s\n", of.name)
		if !wanted(of) {
			fmt.Fprintf(file, "==\n")
			continue
		}
		hangs := time.AfterFunc(slowest, func() {
			fmt.Fprintf(file, "\thangs\n")
			os.Exit(3)
		})
		before := madeByFactories()
		t.Run(of.name, func(t *testing.T) { runCase(t, of, file, logged) })
		hangs.Stop()
		if made := madeByFactories() - before; made > 0 {
			fmt.Fprintf(file, "%s%d\n", byFactory, made)
		}
		fmt.Fprintf(file, "==\n")
	}
}

func wanted(of testCase) bool {
	return *only == "" || regexp.MustCompile(*only).MatchString(of.name)
}

// The cases run with client-go, and with its import paths replaced by ours. The outputs
// are equal, except for the differences in the table of docs/migration.md.
func TestBothLibrariesBehaveAlike(t *testing.T) {
	theirs, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	there, here := runAll(t, theirs), runAll(t, switched(t, imports, "*.go"))
	var transcript strings.Builder
	transcript.WriteString("A line that both libraries print appears once. Where they differ, client-go is on the left and this module on the right.\n")
	for i, of := range testCases() {
		if !wanted(of) {
			continue
		}
		transcript.WriteString("\n" + sideBySide(of, there[i], here[i]))
		equal := slices.Equal(there[i], here[i])
		switch {
		case equal && of.rows != "":
			t.Errorf("%s: both libraries behave alike, but the case names the row %s", of.name, of.rows)
		case !equal && of.rows == "":
			t.Errorf("%s: the libraries differ, and the case names no row of the table:\n%s", of.name, sideBySide(of, there[i], here[i]))
		}
	}
	const recorded = "testdata/behaviour.txt"
	if *only != "" {
		t.Log("\n" + transcript.String())
		return
	}
	if *rewrite {
		if err := os.WriteFile(recorded, []byte(transcript.String()), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	before, err := os.ReadFile(recorded)
	if err != nil {
		t.Fatal(err)
	}
	if string(before) != transcript.String() {
		t.Errorf("the output has changed: to see the difference, run go test ./behaviour -args -rewrite and git diff:\n%s",
			sideBySide(testCase{name: "before | now"}, strings.Split(string(before), "\n"), strings.Split(transcript.String(), "\n")))
	}
}

// Each row of the table is there once. Each case that differs names rows of the table,
// and each row has a case or is in notShown.
func TestEveryRowHasACase(t *testing.T) {
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
	for _, of := range testCases() {
		for row := range strings.FieldsSeq(of.rows) {
			shown[row] = true
			if !rows[row] {
				t.Errorf("%s: the table has no row %s", of.name, row)
			}
			if notShown[row] != "" {
				t.Errorf("%s is in notShown, and the case %s shows it", row, of.name)
			}
		}
	}
	for row := range rows {
		if !shown[row] && len(notShown[row]) < 20 {
			t.Errorf("no case shows the row %s, and notShown gives no reason", row)
		}
	}
	for row := range notShown {
		if !rows[row] {
			t.Errorf("notShown has %s, which is not a row of the table", row)
		}
	}
}

// runAll returns the output of each case with a test binary. It starts one child process
// after the other, each with the cases that the previous one has not run.
func runAll(t *testing.T, binary string, flags ...string) [][]string {
	t.Helper()
	outputs := make([][]string, len(testCases()))
	for next := 0; next < len(outputs); {
		file := filepath.Join(t.TempDir(), "column")
		child := exec.Command(binary, append(flags, "-test.run=^TestCases$", "-output="+file, "-from="+strconv.Itoa(next), "-only="+*only)...)
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
				t.Logf("%s: %s", testCases()[next].name, complaints[:min(len(complaints), 2000)])
			} else {
				t.Logf("%s hangs", testCases()[next].name)
			}
			outputs[next] = lines
			next++
		}
	}
	return outputs
}

// ending describes the end of a child process that has not run all of its cases.
func ending(complaints []byte) string {
	if strings.Contains(string(complaints), "blocked goroutines remain") || strings.Contains(string(complaints), "all goroutines in bubble are blocked") {
		return "leaks goroutines"
	}
	return "the process ends"
}

// switched builds this test with other imports in some of its files, as in a program that
// has switched, and returns the binary.
func switched(t *testing.T, imports *strings.Replacer, pattern string, flags ...string) string {
	t.Helper()
	folder, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	files, err := filepath.Glob(pattern)
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
	if out, err := exec.Command("go", append([]string{"test", "-c", "-vet=off", "-overlay", file, "-o", binary}, flags...)...).CombinedOutput(); err != nil {
		t.Fatalf("the cases do not build with the other imports: %v\n%s", err, out)
	}
	return binary
}

// imports replaces the import paths of client-go by ours.
var imports = strings.NewReplacer(
	`"k8s.io/client-go/tools/cache"`, `"github.com/thinformer/thinformer/cache"`,
	`"k8s.io/client-go/util/workqueue"`, `"github.com/thinformer/thinformer/workqueue"`,
	`"k8s.io/client-go/tools/cache/testing"`, `"github.com/thinformer/thinformer/interop/cachetesting"`,
	`"k8s.io/client-go/tools/cache/synctrack"`, `"github.com/thinformer/thinformer/cache/synctrack"`,
	`"k8s.io/client-go/tools/watch"`, `"github.com/thinformer/thinformer/cache/watch"`,
	`"k8s.io/client-go/tools/pager"`, `"github.com/thinformer/thinformer/cache/pager"`,
	`"k8s.io/client-go/util/retry"`, `"github.com/thinformer/thinformer/cache/retry"`,
	`"k8s.io/client-go/dynamic/dynamiclister"`, `"github.com/thinformer/thinformer/cache/dynamiclister"`,
	`"k8s.io/client-go/metadata/metadatalister"`, `"github.com/thinformer/thinformer/cache/metadatalister"`,
)

// sideBySide formats the output of both libraries in two columns.
func sideBySide(of testCase, there, here []string) string {
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

// nextCommon returns the indexes of the next common line: the one before which the fewest
// lines are skipped.
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
