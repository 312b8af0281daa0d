package storetest

import (
	"errors"
	"fmt"
	"maps"
	"strconv"
)

func replace[T any](t *try[T]) {
	t.replace(t.newer("a"), t.newer("b"))
	kept, changed := t.newer("c"), t.newer("d")
	t.add(kept)
	t.add(changed)
	changed = t.newer("d")
	t.replace(kept, changed, t.newer("e"))
	t.remove(t.newer("c"))
	f := t.newer("f")
	t.add(f)
	t.replace(f)
	t.replace(t.newer("a"))
}

func replaceEmpty[T any](t *try[T]) {
	t.replace()
	t.replace(t.newer("a"), t.newer("b"))
	t.add(t.newer("c"))
	t.last++
	t.replace()
	a := t.newer("a")
	t.add(a)
	t.holds(a)
}

func replaceSame[T any](t *try[T]) {
	a, b := t.newer("a"), t.newer("b")
	t.replace(a, b)
	t.replace(b, a)
	a = t.newer("a")
	t.update(a)
	t.replace(a, b)
}

func replaceTwice[T any](t *try[T]) {
	a, b, later := t.newer("a"), t.newer("b"), t.newer("a")
	t.Doing("Replace by %v, %v, %v", a, b, later)
	t.Must(t.Replace(t.items(a, b, later), later.version))
	t.holds(later, b)
	t.replace(b)
}

func replaceOnce[T any](t *try[T]) {
	a, b := t.newer("a"), t.newer("b")
	read := 0
	t.Doing("Replace by items that can be read once")
	t.Must(t.Replace(func(yield func(T, error) bool) {
		if read++; read == 1 {
			t.items(a, b)(yield)
		}
	}, b.version))
	if read > 1 {
		t.Failf("the items of a Replace are read %d times, and a server sends them once", read)
	}
	t.holds(a, b)
}

func replaceNil[T any](t *try[T]) {
	a := t.newer("a")
	t.replace(a)
	t.Doing("Replace by nil")
	if err := t.Replace(nil, func() string { return "9" }); err == nil {
		t.Failf("a Replace by nil is taken for one without items")
	}
	t.holds(a)
	t.isAt(a.version())
}

// errBroken ends lists.
var errBroken = errors.New("the list broke")

func replaceError[T any](t *try[T]) {
	t.refuses(fmt.Errorf("read the list: %w", errBroken))
	a, b := t.newer("a"), t.newer("b")
	t.replace(a, b)
	t.refuses(errBroken)
	t.refuses(errBroken, t.newer("a"))
	t.refuses(errBroken, t.newer("a"), t.newer("c"), b)
	c := t.newer("c")
	t.add(c)
	t.holds(a, b, c)
	t.refuses(errBroken, c)
	t.replace(c)
}

// refuses reads so many items, an error, and an item after it.
func (t *try[T]) refuses(broken error, all ...thing) {
	before := t.Contents()
	after := t.newer("z")
	t.Doing("Replace by %v and an error", all)
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
		t.Failf("the items ended with an error, and Replace returned none")
	case !errors.Is(err, errBroken):
		t.Failf("the items ended with an error that is not in what Replace returned: %w", err)
	}
	t.holds(things(before)...)
}

func things(contents map[string]int) (all []thing) {
	for name, n := range contents {
		all = append(all, thing{name, n})
	}
	return all
}

func replaceHidden[T any](t *try[T]) {
	a, b := t.newer("a"), t.newer("b")
	t.replace(a, b)
	all := []thing{t.newer("a"), t.newer("c"), t.newer("d")}
	version := all[2].version()
	t.Doing("Replace, whose items come one by one")
	t.Must(t.Replace(func(yield func(T, error) bool) {
		for _, o := range all {
			t.fromOutside(a, b)
			if !yield(t.object(o), nil) {
				return
			}
		}
		t.fromOutside(a, b)
	}, func() string {
		t.fromOutside(a, b)
		return version
	}))
	t.holds(all...)
}

// fromOutside is what another goroutine sees that reads now.
func (t *try[T]) fromOutside(want ...thing) {
	t.Doing("read the contents while a Replace waits for its items")
	seen := make(chan map[string]int)
	go func() {
		defer close(seen) // also if it ends a test in there
		seen <- t.Contents()
	}()
	got := <-seen
	if !maps.Equal(got, contentsOf(want)) {
		t.Failf("while a Replace reads its items, stored is %s, and should be %v", spelled(got), want)
	}
}

func replaceVersion[T any](t *try[T]) {
	ended, asked := false, 0
	a, b := t.newer("a"), t.newer("b")
	version := func() string {
		if asked++; !ended {
			t.Failf("the version was asked for before the items had ended")
		}
		return strconv.Itoa(t.last)
	}
	t.Doing("Replace")
	t.Must(t.Replace(func(yield func(T, error) bool) {
		ended = yield(t.object(a), nil) && yield(t.object(b), nil)
	}, version))
	if asked == 0 {
		t.Failf("the version was not asked for")
	}
	t.holds(a, b)
	t.isAt(strconv.Itoa(t.last))

	ended, asked = true, 0
	t.Doing("Replace by an error")
	err := t.Replace(func(yield func(T, error) bool) {
		var none T
		yield(none, errBroken)
	}, version)
	if err == nil || asked > 0 {
		t.Failf("the items ended with an error: Replace returned %v, having asked %d times for the version", err, asked)
	}
	t.isAt(strconv.Itoa(t.last))
}
