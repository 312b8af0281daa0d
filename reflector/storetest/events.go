package storetest

import "strconv"

func add[T any](t *try[T]) {
	a, b := t.newer("a"), t.newer("b")
	t.add(a)
	t.holds(a)
	t.add(b)
	t.holds(a, b)
	again := t.newer("a")
	t.add(again)
	t.holds(again, b)
}

func update[T any](t *try[T]) {
	a := t.newer("a")
	t.add(a)
	a = t.newer("a")
	t.update(a)
	t.holds(a)
	unknown := t.newer("b")
	t.update(unknown)
	t.holds(a, unknown)
}

func remove[T any](t *try[T]) {
	a, b := t.newer("a"), t.newer("b")
	t.add(a)
	t.add(b)
	t.holds(a, b)
	t.remove(t.newer("a"))
	t.holds(b)
	t.remove(t.newer("a"))
	t.holds(b)
	t.remove(t.newer("c"))
	t.holds(b)
	a = t.newer("a")
	t.add(a)
	t.holds(a, b)
	t.remove(a)
	t.remove(b)
	t.holds()
}

// events looks at the end only: what is queued is queued.
func events[T any](t *try[T]) {
	now := map[string]thing{}
	for i := range 200 {
		name := string(rune('a' + i*7%11))
		o := t.newer(name)
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
	var want []thing
	for _, o := range now {
		want = append(want, o)
	}
	t.holds(want...)
}

func bookmark[T any](t *try[T]) {
	a, b := t.newer("a"), t.newer("b")
	t.replace(a, b)
	t.last++
	t.Doing("Bookmark")
	t.Bookmark(strconv.Itoa(t.last))
	t.holds(a, b)
	t.isAt(strconv.Itoa(t.last))
	a = t.newer("a")
	t.update(a)
	t.holds(a, b)
}

func resync[T any](t *try[T]) {
	t.Doing("Resync of an empty store")
	t.Must(t.Resync())
	t.holds()
	a, b := t.newer("a"), t.newer("b")
	t.replace(a, b)
	t.Doing("Resync")
	t.Must(t.Resync())
	t.holds(a, b)
	t.isAt(b.version())
	// Whatever it is that a Resync brings, it overtakes nothing.
	t.Must(t.Resync())
	a = t.newer("a")
	t.update(a)
	t.remove(t.newer("b"))
	t.holds(a)
}
