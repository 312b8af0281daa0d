package storetest

import (
	"errors"
	"fmt"
	"maps"
	"strconv"
)

func replace[T any](t *caseRun[T]) {
	t.replace(t.nextState("a"), t.nextState("b"))
	kept, changed := t.nextState("c"), t.nextState("d")
	t.add(kept)
	t.add(changed)
	changed = t.nextState("d")
	t.replace(kept, changed, t.nextState("e"))
	t.remove(t.nextState("c"))
	f := t.nextState("f")
	t.add(f)
	t.replace(f)
	t.replace(t.nextState("a"))
}

func replaceEmpty[T any](t *caseRun[T]) {
	t.replace()
	t.replace(t.nextState("a"), t.nextState("b"))
	t.add(t.nextState("c"))
	t.last++
	t.replace()
	a := t.nextState("a")
	t.add(a)
	t.expectContents(a)
}

func replaceSame[T any](t *caseRun[T]) {
	a, b := t.nextState("a"), t.nextState("b")
	t.replace(a, b)
	t.replace(b, a)
	a = t.nextState("a")
	t.update(a)
	t.replace(a, b)
}

func replaceTwice[T any](t *caseRun[T]) {
	a, b, later := t.nextState("a"), t.nextState("b"), t.nextState("a")
	t.Step("Replace with %v, %v, %v", a, b, later)
	t.Must(t.Replace(t.items(a, b, later), later.version))
	t.expectContents(later, b)
	t.replace(b)
}

func replaceOnce[T any](t *caseRun[T]) {
	a, b := t.nextState("a"), t.nextState("b")
	read := 0
	t.Step("Replace with items that can be read only once")
	t.Must(t.Replace(func(yield func(T, error) bool) {
		if read++; read == 1 {
			t.items(a, b)(yield)
		}
	}, b.version))
	if read > 1 {
		t.Failf("the items of a Replace are read %d times, want once", read)
	}
	t.expectContents(a, b)
}

func replaceNil[T any](t *caseRun[T]) {
	a := t.nextState("a")
	t.replace(a)
	t.Step("Replace with nil")
	if err := t.Replace(nil, func() string { return "9" }); err == nil {
		t.Failf("Replace accepts a nil iterator")
	}
	t.expectContents(a)
	t.expectVersion(a.version())
}

// errBroken ends lists.
var errBroken = errors.New("the list broke")

func replaceError[T any](t *caseRun[T]) {
	t.expectRejected(fmt.Errorf("read the list: %w", errBroken))
	a, b := t.nextState("a"), t.nextState("b")
	t.replace(a, b)
	t.expectRejected(errBroken)
	t.expectRejected(errBroken, t.nextState("a"))
	t.expectRejected(errBroken, t.nextState("a"), t.nextState("c"), b)
	c := t.nextState("c")
	t.add(c)
	t.expectContents(a, b, c)
	t.expectRejected(errBroken, c)
	t.replace(c)
}

// expectRejected calls Replace with items, an error, and an item after it.
func (t *caseRun[T]) expectRejected(broken error, all ...testObject) {
	before := t.Contents()
	after := t.nextState("z")
	t.Step("Replace with %v and an error", all)
	err := t.Replace(func(yield func(T, error) bool) {
		for _, o := range all {
			if !yield(t.object(o), nil) {
				return
			}
		}
		var none T
		if yield(none, broken) {
			yield(t.object(after), nil)
		}
	}, func() string { return "99999" })
	switch {
	case err == nil:
		t.Failf("the items ended with an error, and Replace returned nil")
	case !errors.Is(err, errBroken):
		t.Failf("the error of Replace does not wrap the error of the items: %w", err)
	}
	t.expectContents(objectsOf(before)...)
}

func objectsOf(contents map[string]int) (all []testObject) {
	for name, n := range contents {
		all = append(all, testObject{name, n})
	}
	return all
}

func replaceHidden[T any](t *caseRun[T]) {
	a, b := t.nextState("a"), t.nextState("b")
	t.replace(a, b)
	all := []testObject{t.nextState("a"), t.nextState("c"), t.nextState("d")}
	version := all[2].version()
	t.Step("Replace with items that arrive one by one")
	t.Must(t.Replace(func(yield func(T, error) bool) {
		for _, o := range all {
			t.expectFromGoroutine(a, b)
			if !yield(t.object(o), nil) {
				return
			}
		}
		t.expectFromGoroutine(a, b)
	}, func() string {
		t.expectFromGoroutine(a, b)
		return version
	}))
	t.expectContents(all...)
}

// expectFromGoroutine checks the contents that another goroutine reads now.
func (t *caseRun[T]) expectFromGoroutine(want ...testObject) {
	t.Step("read the contents while a Replace waits for its items")
	seen := make(chan map[string]int)
	go func() {
		defer close(seen) // also if Contents ends the goroutine
		seen <- t.Contents()
	}()
	got := <-seen
	if !maps.Equal(got, contentsOf(want)) {
		t.Failf("while a Replace reads its items, the store has %s, want %v", formatContents(got), want)
	}
}

func replaceVersion[T any](t *caseRun[T]) {
	ended, calls := false, 0
	a, b := t.nextState("a"), t.nextState("b")
	version := func() string {
		if calls++; !ended {
			t.Failf("Replace called version before the items had ended")
		}
		return strconv.Itoa(t.last)
	}
	t.Step("Replace")
	t.Must(t.Replace(func(yield func(T, error) bool) {
		ended = yield(t.object(a), nil) && yield(t.object(b), nil)
	}, version))
	if calls == 0 {
		t.Failf("Replace did not call version")
	}
	t.expectContents(a, b)
	t.expectVersion(strconv.Itoa(t.last))

	ended, calls = true, 0
	t.Step("Replace with an error")
	err := t.Replace(func(yield func(T, error) bool) {
		var none T
		yield(none, errBroken)
	}, version)
	if err == nil || calls > 0 {
		t.Failf("the items ended with an error: Replace returned %v, and called version %d times", err, calls)
	}
	t.expectVersion(strconv.Itoa(t.last))
}
