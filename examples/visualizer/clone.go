package main

import (
	"bytes"
	"io"
	"net/http"
	"os"
	"path"
	"path/filepath"
	"slices"
)

// stageFiles are the chapter and the source files of each stage.
var stageFiles = []struct {
	stage   Stage
	chapter string
	sources []string
}{
	{StageSocket, "01-chunks", []string{"examples/visualizer/socket.go", "examples/visualizer/response.go", "rest/stream.go"}},
	{StageMachine, "06-reflector", []string{"reflector/machine.go", "reflector/machine_watch.go", "reflector/reflector.go"}},
	{StageFIFO, "07-deltafifo", []string{"deltafifo/fifo.go", "deltafifo/pop.go"}},
	{StageStore, "08-indexer", []string{"indexer/indexer.go", "indexer/index.go"}},
	{StageHandler, "09-informer", []string{"informer/handledeltas.go", "informer/processor.go", "informer/listener.go"}},
	{StageQueue, "10-workqueue", []string{"workqueue/queue.go", "workqueue/priority.go"}},
	{StageWorker, "11-reconcile", []string{"controller/worker.go", "examples/visualizer/copier.go"}},
	{StageRequest, "02-client", []string{"rest/request.go", "rest/send.go"}},
}

// languages are those of the chapters.
var languages = []string{"en", "zh"}

// clone is the clone of the repository in which the program runs. The zero value is
// none: it has no files.
type clone struct {
	root *os.Root
	// served are the files that a link leads to.
	served map[string]bool
}

// openClone returns the clone that has the folder, none if there is none.
func openClone(folder string) *clone {
	folder, err := filepath.Abs(folder)
	if err != nil {
		return &clone{}
	}
	for {
		if text, err := os.ReadFile(filepath.Join(folder, "go.mod")); err == nil && bytes.HasPrefix(text, []byte("module github.com/thinformer/thinformer\n")) {
			root, err := os.OpenRoot(folder)
			if err != nil {
				return &clone{}
			}
			return &clone{root: root, served: map[string]bool{}}
		}
		parent := filepath.Dir(folder)
		if parent == folder {
			return &clone{}
		}
		folder = parent
	}
}

// Close closes the clone.
func (c *clone) Close() {
	if c.root != nil {
		_ = c.root.Close()
	}
}

// links returns the links to the files that exist, and allows to read them.
func (c *clone) links() (all []StageLinks) {
	for _, s := range stageFiles {
		links := StageLinks{Stage: s.stage, Sources: []Source{}}
		exists := func(language string) bool { return c.serve(chapterFile(language, s.chapter)) }
		if !slices.ContainsFunc(languages, func(l string) bool { return !exists(l) }) {
			links.Chapter = "/chapter/{lang}/" + s.chapter
		}
		for _, name := range s.sources {
			if c.serve(name) {
				links.Sources = append(links.Sources, Source{Path: name, Address: "/source/" + name})
			}
		}
		all = append(all, links)
	}
	return all
}

func chapterFile(language, name string) string {
	return path.Join("learn/chapters", language, name+".md")
}

// serve allows to read a file, and reports whether it exists.
func (c *clone) serve(name string) bool {
	if c.root == nil {
		return false
	}
	if _, err := c.root.Stat(name); err != nil {
		return false
	}
	c.served[name] = true
	return true
}

func (c *clone) serveChapter(w http.ResponseWriter, r *http.Request) {
	c.serveText(w, r, chapterFile(r.PathValue("language"), r.PathValue("name")))
}

func (c *clone) serveSource(w http.ResponseWriter, r *http.Request) {
	c.serveText(w, r, r.PathValue("path"))
}

// serveText sends a file that has a link, as plain text.
func (c *clone) serveText(w http.ResponseWriter, r *http.Request, name string) {
	if !c.served[name] {
		http.NotFound(w, r)
		return
	}
	file, err := c.root.Open(name)
	if err != nil {
		http.NotFound(w, r)
		return
	}
	defer file.Close()
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	_, _ = io.Copy(w, file) // the client may have disconnected
}
