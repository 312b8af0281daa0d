package storetest

import "strconv"

func add[T any](t *caseRun[T]) {
	a, b := t.nextState("a"), t.nextState("b")
	t.add(a)
	t.expectContents(a)
	t.add(b)
	t.expectContents(a, b)
	again := t.nextState("a")
	t.add(again)
	t.expectContents(again, b)
}

func update[T any](t *caseRun[T]) {
	a := t.nextState("a")
	t.add(a)
	a = t.nextState("a")
	t.update(a)
	t.expectContents(a)
	unknown := t.nextState("b")
	t.update(unknown)
	t.expectContents(a, unknown)
}

func remove[T any](t *caseRun[T]) {
	a, b := t.nextState("a"), t.nextState("b")
	t.add(a)
	t.add(b)
	t.expectContents(a, b)
	t.remove(t.nextState("a"))
	t.expectContents(b)
	t.remove(t.nextState("a"))
	t.expectContents(b)
	t.remove(t.nextState("c"))
	t.expectContents(b)
	a = t.nextState("a")
	t.add(a)
	t.expectContents(a, b)
	t.remove(a)
	t.remove(b)
	t.expectContents()
}

// events checks only the final contents, because a store may queue events.
func events[T any](t *caseRun[T]) {
	now := map[string]testObject{}
	for i := range 200 {
		name := string(rune('a' + i*7%11))
		o := t.nextState(name)
		switch {
		case i%5 == 3:
			t.remove(o)
			delete(now, name)
			continue
		case i%3 == 0:
			t.add(o)
		default:
			t.update(o)
		}
		now[name] = o
	}
	var want []testObject
	for _, o := range now {
		want = append(want, o)
	}
	t.expectContents(want...)
}

func bookmark[T any](t *caseRun[T]) {
	a, b := t.nextState("a"), t.nextState("b")
	t.replace(a, b)
	t.last++
	t.Step("Bookmark")
	t.Bookmark(strconv.Itoa(t.last))
	t.expectContents(a, b)
	t.expectVersion(strconv.Itoa(t.last))
	a = t.nextState("a")
	t.update(a)
	t.expectContents(a, b)
}

func resync[T any](t *caseRun[T]) {
	t.Step("Resync of an empty store")
	t.Must(t.Resync())
	t.expectContents()
	a, b := t.nextState("a"), t.nextState("b")
	t.replace(a, b)
	t.Step("Resync")
	t.Must(t.Resync())
	t.expectContents(a, b)
	t.expectVersion(b.version())
	// The deltas of a Resync do not overtake later events.
	t.Must(t.Resync())
	a = t.nextState("a")
	t.update(a)
	t.remove(t.nextState("b"))
	t.expectContents(a)
}
