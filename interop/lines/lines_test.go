package main

import (
	"bytes"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

func TestEachLineIsCountedOnce(t *testing.T) {
	text := "// Package p is.\npackage p\n\n/* two\nlines */\nvar a = `x\n\ny` // behind code\n"
	if c := countOne("p.go", []byte(text)); c != (count{code: 4, comments: 3}) {
		t.Errorf("%+v", c)
	}
	if c := countOne("p_test.go", []byte(text)); c != (count{tests: 7}) {
		t.Errorf("%+v", c)
	}
}

// The table has a line for each package, and the named files of client-go exist.
func TestTableHasEachPackage(t *testing.T) {
	out := tableText(t)
	for _, name := range []string{"rest", "reflector", "indexer", "deltafifo", "informer", "workqueue", "controller", "cache", "apitest", "other packages"} {
		if !strings.Contains(out, " "+name+" ") {
			t.Errorf("no line for %s:\n%s", name, out)
		}
	}
}

// The README states the three ratios of the table.
func TestReadmeStatesTheRatios(t *testing.T) {
	readme, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	stated := regexp.MustCompile(`([0-9.]+) times as much code.* ([0-9.]+) times.* ([0-9.]+) times`).FindStringSubmatch(string(readme))
	counted := regexp.MustCompile(`(?s)([0-9.]+) times as much, with cache.* ([0-9.]+) times.* ([0-9.]+) times`).FindStringSubmatch(tableText(t))
	if stated == nil || counted == nil {
		t.Fatalf("got ratios %q in README.md and %q in the table", stated, counted)
	}
	for i := 1; i <= 3; i++ {
		inReadme, err := strconv.ParseFloat(stated[i], 64)
		if err != nil {
			t.Fatal(err)
		}
		inTable, err := strconv.ParseFloat(counted[i], 64)
		if err != nil {
			t.Fatal(err)
		}
		if math.Abs(inReadme-inTable) > 0.15 {
			t.Errorf("README.md states %v times the code of client-go, and the table %v times", inReadme, inTable)
		}
	}
}

func tableText(t *testing.T) string {
	t.Helper()
	theirs, err := folderOf("k8s.io/client-go")
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	if err := table(&out, "../..", theirs); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

func TestInternalFoldersCountForTheirPackage(t *testing.T) {
	all := []string{"apitest", "apitest/internal/faults", "apitestother", "rest"}
	if taken := take(&all, row{name: "apitest"}); !slices.Equal(taken, []string{"apitest", "apitest/internal/faults"}) || !slices.Equal(all, []string{"apitestother", "rest"}) {
		t.Errorf("took %q, and left %q", taken, all)
	}
}

// The command works with an empty module cache: it downloads the modules that it counts.
// Here the download reads from the module cache of the tests.
func TestCommandDownloadsModules(t *testing.T) {
	cache, err := exec.Command("go", "env", "GOMODCACHE").Output()
	if err != nil {
		t.Fatal(err)
	}
	proxy, err := exec.Command("go", "env", "GOPROXY").Output()
	if err != nil {
		t.Fatal(err)
	}
	empty := t.TempDir()
	command := exec.Command("go", "run", "./lines")
	command.Dir = ".."
	command.Env = append(os.Environ(), "GOMODCACHE="+empty, "GOFLAGS=-modcacherw",
		"GOPROXY=file://"+filepath.ToSlash(strings.TrimSpace(string(cache)))+"/cache/download,"+strings.TrimSpace(string(proxy)))
	out, err := command.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	if !strings.Contains(string(out), " reflector ") {
		t.Errorf("no line for reflector:\n%s", out)
	}
}

func TestUnrequiredModuleIsAnError(t *testing.T) {
	if dir, err := folderOf("example.com/not-required"); err == nil || !strings.Contains(err.Error(), "example.com/not-required") {
		t.Errorf("%q, %v", dir, err)
	}
}
