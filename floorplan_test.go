package thinformer_test

import (
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/fstest"
)

// floorPlan says which rooms a room may import. Data flows down the list. A
// line added here is a decision about the house: docs/design/rooms.md says
// what it costs. Every room may import internal/, and nothing of this module
// that its line does not name.
var floorPlan = map[string][]string{
	".":         {},
	"rest":      {},
	"listwatch": {"rest"},
	"reflector": {"listwatch"},
	"indexer":   {},
	"deltafifo": {"indexer"},
	"informer":  {"rest", "listwatch", "reflector", "deltafifo", "indexer"},
	"workqueue": {},
	"controller": {
		// The runner serves the page of informer/debug, and tells by the states of
		// reflector why an informer waits.
		"rest", "reflector", "indexer", "informer", "informer/debug", "workqueue",
	},
	"cache": {
		"rest", "listwatch", "reflector", "indexer", "deltafifo", "informer", "workqueue", "controller",
	},
	"apitest": {"rest"},
}

// subRooms may import their parent and whatever their parent may. No room
// imports a sub-room that its line does not name, and no line names one of its
// own.
var subRooms = []string{
	"rest/kubeconfig",
	"rest/discovery",
	"listwatch/listwatchtest",
	"reflector/storetest",
	"informer/debug",
	"controller/leader",
	"controller/events",
}

const planFile = "floorplan_test.go"

// importTable: a room imports only what its line of the plan names. Test files
// are exempt.
func importTable(t *testing.T, tree fs.FS) (complaints []string) {
	homeless := map[string]bool{}
	for _, file := range rootModule(t, tree) {
		allowed, known := mayImport(file.folder)
		if !known {
			if !homeless[file.folder] {
				complaints = append(complaints, fmt.Sprintf("%s: the folder %s is not on the floor plan in %s", file.name, file.folder, planFile))
			}
			homeless[file.folder] = true
			continue
		}
		if file.test {
			continue
		}
		for _, spec := range file.syntax.Imports {
			imported, ours := roomOf(spec.Path.Value)
			if !ours || allowed(imported) {
				continue
			}
			complaints = append(complaints, fmt.Sprintf("%s imports %s; %s may import %s of this module: see the floor plan in %s",
				file.name, imported, file.folder, describe(file.folder), planFile))
		}
	}
	return complaints
}

// mayImport answers for a folder which folders of this module it may import,
// and whether it is on the plan at all.
func mayImport(folder string) (allowed func(string) bool, known bool) {
	switch {
	case within(folder, "examples"):
		return func(string) bool { return true }, true
	case within(folder, "internal"):
		return func(imported string) bool { return within(imported, "internal") }, true
	}
	rooms, known := lineOf(folder)
	return func(imported string) bool {
		return within(imported, "internal") || slices.Contains(rooms, imported)
	}, known
}

// lineOf is the plan's line for a room or sub-room.
func lineOf(folder string) (rooms []string, known bool) {
	if slices.Contains(subRooms, folder) {
		parent := path.Dir(folder)
		return append([]string{parent}, floorPlan[parent]...), true
	}
	rooms, known = floorPlan[folder]
	return rooms, known
}

func describe(folder string) string {
	rooms, _ := lineOf(folder)
	return strings.Join(append([]string{"only internal/..."}, rooms...), ", ")
}

// roomOf is the folder that an import path names, if it is one of ours.
func roomOf(quoted string) (folder string, ours bool) {
	imported, err := strconv.Unquote(quoted)
	if err != nil {
		return "", false
	}
	if imported == module {
		return ".", true
	}
	return strings.CutPrefix(imported, module+"/")
}

func within(folder, parent string) bool {
	return folder == parent || strings.HasPrefix(folder, parent+"/")
}

func TestRoomsImportOnlyWhatTheFloorPlanAllows(t *testing.T) {
	rule(importTable).holds(t)
}

func TestEverySubRoomHasAParentOnTheFloorPlan(t *testing.T) {
	for _, folder := range subRooms {
		if _, known := floorPlan[path.Dir(folder)]; !known {
			t.Errorf("%s: %s is not on the floor plan", folder, path.Dir(folder))
		}
	}
}

func TestTheImportTableCanFail(t *testing.T) {
	importing := func(room string) *fstest.MapFile {
		return goFile(fmt.Sprintf("package p\nimport _ %q\n", path.Join(module, room)))
	}
	table := rule(importTable)

	// Against the flow, a sub-room by its parent, a neighbour, a room by internal.
	table.breaks(t, fstest.MapFS{"indexer/keys.go": importing("deltafifo")}, "indexer/keys.go imports deltafifo", planFile)
	table.breaks(t, fstest.MapFS{"rest/client.go": importing("rest/kubeconfig")}, "rest/client.go imports rest/kubeconfig")
	table.breaks(t, fstest.MapFS{"workqueue/queue.go": importing("indexer")}, "workqueue may import only internal/")
	table.breaks(t, fstest.MapFS{"internal/ring/ring.go": importing("workqueue")}, "internal/ring/ring.go imports workqueue")
	table.breaks(t, fstest.MapFS{"reflector/run.go": importing("rest")}, "may import only internal/..., listwatch of")
	table.breaks(t, fstest.MapFS{"util/strings.go": goFile("package util")}, "the folder util is not on the floor plan")
	table.breaks(t, fstest.MapFS{"util/a.go": goFile("package util"), "util/b.go": goFile("package util")}, "util")

	table.passes(t, fstest.MapFS{
		"deltafifo/fifo.go":          importing("indexer"),
		"rest/kubeconfig/load.go":    importing("rest"),
		"controller/leader/elect.go": importing("workqueue"),
		"indexer/vector.go":          importing("internal/ring"),
		"indexer/indexer_test.go":    importing("informer"),
		"examples/hello/main.go":     importing("cache"),
		"interop/go.mod":             goFile("module " + module + "/interop"),
		"interop/interop.go":         importing("cache"),
		"indexer/testdata/broken.go": goFile("not go at all"),
	})
}
