package main

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// table prints objects as they are and what becomes of them: a
// ResourceEventHandler. The first list is kept back until all of it is there,
// so that it is in order and as wide as it needs to be.
type table struct {
	out        io.Writer
	columns    []cell
	namespaces bool // a column of them
	// rows counts those that were printed after the first list.
	rows chan struct{}

	mu     sync.Mutex
	first  [][]string // what is kept back
	listed int        // how many were in the first list
	begun  bool       // the first list is complete
	width  []int      // of the columns; nil before the head was printed
}

func newTable(out io.Writer, columns []cell, namespaces bool) *table {
	return &table{out: out, columns: columns, namespaces: namespaces, rows: make(chan struct{}, 1)}
}

// OnAdd implements informer.ResourceEventHandler.
func (t *table) OnAdd(obj *unstructured.Unstructured, isInInitialList bool) {
	if !isInInitialList {
		t.event("ADDED", obj)
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.first = append(t.first, t.row("", obj))
	t.listed++
}

// OnUpdate implements informer.ResourceEventHandler.
func (t *table) OnUpdate(_, obj *unstructured.Unstructured) { t.event("MODIFIED", obj) }

// OnDelete implements informer.ResourceEventHandler.
func (t *table) OnDelete(obj *unstructured.Unstructured, _ bool) { t.event("DELETED", obj) }

// event prints a row, after the first list.
func (t *table) event(what string, obj *unstructured.Unstructured) {
	t.mu.Lock()
	t.printFirst()
	t.print(t.row(what, obj))
	t.mu.Unlock()
	select {
	case t.rows <- struct{}{}:
	default: // nobody waits
	}
}

// begin prints the first list, unless an event was faster, and returns how many
// objects are in it. If there are none, the head waits for the first event.
func (t *table) begin() int {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.begun = true
	if t.listed > 0 {
		t.printFirst()
	}
	return t.listed
}

func (t *table) hasBegun() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.begun
}

// printFirst prints the head and the first list, unless it has done so.
func (t *table) printFirst() {
	if t.width != nil {
		return
	}
	slices.SortFunc(t.first, func(a, b []string) int { return slices.CompareFunc(a, b, cmp.Compare[string]) })
	head := t.head()
	t.width = make([]int, len(head))
	for _, row := range append(t.first, head, []string{"MODIFIED"}) {
		for i, text := range row {
			t.width[i] = max(t.width[i], utf8.RuneCountInString(text))
		}
	}
	t.print(head)
	for _, row := range t.first {
		t.print(row)
	}
	t.first = nil
}

func (t *table) head() []string {
	row := []string{"EVENT"}
	if t.namespaces {
		row = append(row, "NAMESPACE")
	}
	row = append(row, "NAME")
	for _, c := range t.columns {
		row = append(row, c.head)
	}
	return row
}

func (t *table) row(event string, obj *unstructured.Unstructured) []string {
	row := []string{event}
	if t.namespaces {
		row = append(row, singleLine(obj.GetNamespace()))
	}
	row = append(row, singleLine(obj.GetName()))
	for _, c := range t.columns {
		row = append(row, singleLine(c.of(obj.Object)))
	}
	return row
}

// print pads the cells, each at least as wide as in the first list.
func (t *table) print(row []string) {
	var line bytes.Buffer
	for i, text := range row {
		t.width[i] = max(t.width[i], utf8.RuneCountInString(text))
		fmt.Fprintf(&line, "%-*s   ", t.width[i], text)
	}
	fmt.Fprintln(t.out, strings.TrimRight(line.String(), " "))
}

// singleLine keeps what others have written from being more than a line of text:
// a terminal would obey it.
func singleLine(text string) string {
	line, _, more := strings.Cut(text, "\n")
	if more {
		line += "..."
	}
	return strings.Map(func(r rune) rune {
		if r < ' ' || r >= 0x7f && r < 0xa0 {
			return '?'
		}
		return r
	}, line)
}
