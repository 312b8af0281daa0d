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

// table is a ResourceEventHandler that prints objects and their changes. It holds the
// first list back until it is complete, to sort it and to determine the column widths.
type table struct {
	out        io.Writer
	columns    []cell
	namespaces bool // show the namespace column
	// rows is signaled for each row printed after the first list.
	rows chan struct{}

	mu     sync.Mutex
	first  [][]string // rows held back
	listed int        // number of objects in the first list
	begun  bool       // the first list is complete
	width  []int      // of the columns; nil before the header was printed
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

// event prints a row after the first list.
func (t *table) event(typ string, obj *unstructured.Unstructured) {
	t.mu.Lock()
	t.printFirst()
	t.print(t.row(typ, obj))
	t.mu.Unlock()
	select {
	case t.rows <- struct{}{}:
	default: // no receiver is waiting
	}
}

// begin prints the first list, unless an event has done so, and returns its number of
// objects. If it is empty, the header is printed with the first event.
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

// printFirst prints the header and the first list, unless they have been printed.
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
		row = append(row, c.header)
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
		row = append(row, singleLine(c.value(obj.Object)))
	}
	return row
}

// print pads the cells to at least the width in the first list.
func (t *table) print(row []string) {
	var line bytes.Buffer
	for i, text := range row {
		t.width[i] = max(t.width[i], utf8.RuneCountInString(text))
		fmt.Fprintf(&line, "%-*s   ", t.width[i], text)
	}
	fmt.Fprintln(t.out, strings.TrimRight(line.String(), " "))
}

// singleLine removes control characters from text that others have written: a terminal
// would execute them.
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
