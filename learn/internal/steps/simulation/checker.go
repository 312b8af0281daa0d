package simulation

import (
	"fmt"
	"strings"

	"github.com/thinformer/thinformer/learn/internal/judge"
	"github.com/thinformer/thinformer/learn/internal/stack"
)

func checkLegal(t *judge.T, parts stack.Parts) {
	observed(t, parts,
		initial("shop/a 1 8"), initial("shop/b 2 9"), initial("other/a 3 7"),
		update("shop/a 1 8", "shop/a 1 10"), // "10" is newer than "8"
		add("shop/c 4 11"),
		update("shop/b 2 9", "shop/b 2 9"), // a list repeats what the handler has
		remove("shop/a 1 12"),
		add("shop/a 5 100"), // another object of the same name
		update("shop/a 5 100", "shop/a 5 101"),
		remove("shop/b 2 9"), // a deletion that was missed: the last known state
		add("shop/b 6 50"),
		remove("shop/a 5 101"),
		update("other/a 3 7", "other/a 3 200"),
		remove("other/a 3 201"),
		add("other/a 3 201"),                 // a relist has the object again, at an equal version
		add("shop/d 7 99999999999999999999"), // more than 64 bits
		update("shop/d 7 99999999999999999999", "shop/d 7 100000000000000000000"),
	)
	// Two checkers are independent of each other.
	observed(t, parts, add("shop/a 1 1"))
	observed(t, parts, add("shop/a 1 1"))
}

func checkAddKnown(t *judge.T, parts stack.Parts) {
	const why = "the handler has the object already"
	illegal(t, parts, why, add("shop/a 1 1"), add("shop/a 1 2"))
	illegal(t, parts, why, initial("shop/a 1 1"), initial("shop/b 2 2"), add("shop/a 1 1"))
	illegal(t, parts, why, add("shop/a 1 1"), update("shop/a 1 1", "shop/a 1 2"), add("shop/a 3 3"))
	illegal(t, parts, why, add("shop/a 1 1"), remove("shop/a 1 2"), add("shop/a 2 3"), add("shop/a 2 4"))
}

func checkUnknown(t *judge.T, parts stack.Parts) {
	const never, deleted = "the object was never added", "the object was deleted"
	illegal(t, parts, never, update("shop/a 1 1", "shop/a 1 2"))
	illegal(t, parts, never, remove("shop/a 1 1"))
	illegal(t, parts, never, add("other/a 1 1"), remove("shop/a 1 1"))
	illegal(t, parts, deleted, add("shop/a 1 1"), remove("shop/a 1 2"), update("shop/a 1 2", "shop/a 1 3"))
	illegal(t, parts, deleted, add("shop/a 1 1"), remove("shop/a 1 2"), remove("shop/a 1 2"))
}

func checkOld(t *judge.T, parts stack.Parts) {
	const why = "the old object is not the one that the handler has"
	illegal(t, parts, why, add("shop/a 1 1"), update("shop/a 1 2", "shop/a 1 3"))
	illegal(t, parts, why, add("shop/a 1 1"), update("shop/a 1 1", "shop/a 1 2"), update("shop/a 1 1", "shop/a 1 3"))
	illegal(t, parts, why, add("shop/a 1 1"), remove("shop/a 1 2"), add("shop/a 2 5"), update("shop/a 2 2", "shop/a 2 6"))
}

func checkBack(t *judge.T, parts stack.Parts) {
	const why = "the version is older than one that the handler has seen of this key"
	illegal(t, parts, why, add("shop/a 1 5"), update("shop/a 1 5", "shop/a 1 4"))
	illegal(t, parts, why+`: versions are numbers, "9" is older than "10"`, add("shop/a 1 10"), update("shop/a 1 10", "shop/a 1 9"))
	illegal(t, parts, why, add("shop/a 1 5"), remove("shop/a 1 4"))
	illegal(t, parts, why+": versions may have more than 64 bits", add("shop/a 1 99999999999999999999"), update("shop/a 1 99999999999999999999", "shop/a 1 99999999999999999998"))
	illegal(t, parts, why, add("shop/a 1 5"), remove("shop/a 1 7"), add("shop/a 2 6"))
	illegal(t, parts, why, add("shop/a 1 5"), remove("shop/a 1 7"), add("shop/a 2 9"), update("shop/a 2 9", "shop/a 2 8"))
	checker := observed(t, parts, add("shop/a 1 5"), add("shop/b 2 6"))
	if err := checker.Compare([]stack.Object{object("shop/a 1 5"), object("shop/b 2 6")}); err != nil {
		t.Fatalf("with the objects of the handler, Compare returns: %v", err)
	}
	if checker.Observe(remove("shop/a 1 4")) == nil {
		t.Fatalf("after add shop/a@5 and Compare, Observe of delete shop/a@4 returns nil; want an error: Compare changes nothing")
	}
	illegal(t, parts, why, add("shop/a 1 5"), update("shop/a 1 5", "shop/a 1 8"), remove("shop/a 1 8"), add("shop/a 2 7"))
}

func checkUID(t *judge.T, parts stack.Parts) {
	const why = "the uid is that of another object, so a delete and an add have to come"
	illegal(t, parts, why, add("shop/a 1 1"), update("shop/a 1 1", "shop/a 2 3"))
	illegal(t, parts, why, add("shop/a 1 1"), remove("shop/a 2 3"))
}

func checkIncomplete(t *judge.T, parts stack.Parts) {
	a, b := object("shop/a 1 1"), object("shop/b 1 2")
	for _, test := range []struct {
		why  string
		call stack.Call
	}{
		{"no new object", stack.Call{Type: "update", Old: a}},
		{"no old object", stack.Call{Type: "update", New: a}},
		{"an update has the same key before and after", stack.Call{Type: "update", Old: a, New: b}},
		{"a delete has no new object", stack.Call{Type: "delete", Old: a, New: a}},
		{"no old object", stack.Call{Type: "delete"}},
		{"no such type", stack.Call{Type: "sync", Old: a, New: a}},
	} {
		illegal(t, parts, test.why, add("shop/a 1 1"), test.call)
	}
	const same = "an update has the same key before and after"
	for _, text := range []string{"shop/b 1 1", "other/a 1 1"} {
		both := []stack.Call{add("shop/a 1 1"), add(text)}
		illegal(t, parts, same, append(both, update("shop/a 1 1", text))...)
		illegal(t, parts, same, append(both, update(text, "shop/a 1 1"))...)
	}
	illegal(t, parts, "no new object", stack.Call{Type: "add"})
	illegal(t, parts, "an add has no old object", stack.Call{Type: "add", Old: a, New: a})
}

func checkNames(t *judge.T, parts stack.Parts) {
	for _, calls := range [][]stack.Call{
		{add("shop/a 1 1"), add("shop/a 1 2")},
		{update("shop/a 1 1", "shop/a 1 2")},
		{remove("shop/a 1 1")},
		{add("shop/a 1 1"), update("shop/a 1 2", "shop/a 1 3")},
		{add("shop/a 1 5"), update("shop/a 1 5", "shop/a 1 4")},
		{add("shop/a 1 1"), update("shop/a 1 1", "shop/a 2 3")},
		{add("shop/a 1 1"), {Type: "update", New: object("shop/a 1 2")}},
		{add("shop/a 1 1"), {Type: "delete", Old: object("shop/a 1 1"), New: object("shop/a 1 1")}},
		{add("shop/a 1 1"), {Type: "sync", New: object("shop/a 1 2")}},
	} {
		before, last := calls[:len(calls)-1], calls[len(calls)-1]
		named(t, fmt.Sprintf("after %s, the error of Observe of %s", callsText(before), callText(last)),
			observed(t, parts, before...).Observe(last))
	}
	named(t, "with shop/a on the server and not in the handler, the error of Compare",
		newChecker(t, parts).Compare([]stack.Object{object("shop/a 1 1")}))
	named(t, "with shop/a in the handler and not on the server, the error of Compare",
		observed(t, parts, add("shop/a 1 1")).Compare(nil))
}

// named fails unless there is an error with the key.
func named(t *judge.T, what string, err error) {
	t.Helper()
	if err == nil || !strings.Contains(err.Error(), "shop/a") {
		t.Fatalf("%s is %v; want the key shop/a in it", what, err)
	}
}

func checkCompareEqual(t *judge.T, parts stack.Parts) {
	equal := func(what string, checker stack.Checker, objects ...stack.Object) {
		if err := checker.Compare(objects); err != nil {
			t.Fatalf("%s: Compare returns: %v", what, err)
		}
	}
	equal("without calls and objects", newChecker(t, parts))
	equal("after add and delete of the only object", observed(t, parts, add("shop/a 1 1"), remove("shop/a 1 2")))
	checker := observed(t, parts, add("shop/a 1 1"), add("shop/b 2 3"), update("shop/a 1 1", "shop/a 1 4"), add("shop/c 5 5"), remove("shop/c 5 6"))
	for range 2 {
		equal("with the last version of each object", checker, object("shop/b 2 3"), object("shop/a 1 4"))
	}
	if err := checker.Observe(update("shop/b 2 3", "shop/b 2 9")); err != nil {
		t.Fatalf("after Compare, Observe of a legal update returns: %v", err)
	}
	equal("with the last version of each object, after another update", checker, object("shop/b 2 9"), object("shop/a 1 4"))
}

func checkCompareDifferent(t *judge.T, parts stack.Parts) {
	a, b := object("shop/a 1 4"), object("shop/b 2 3")
	for _, test := range []struct {
		why     string
		objects []stack.Object
	}{
		{"the handler has shop/b, which the server does not have", []stack.Object{a}},
		{"the server has nothing", nil},
		{"the server has shop/c, which the handler does not have", []stack.Object{a, b, object("shop/c 3 5")}},
		{"the server has shop/c instead of shop/b", []stack.Object{a, object("shop/c 2 3")}},
		{"the server has shop/a at a newer version", []stack.Object{object("shop/a 1 5"), b}},
		{"the server has another object named shop/a", []stack.Object{object("shop/a 9 4"), b}},
	} {
		checker := observed(t, parts, add("shop/a 1 1"), add("shop/b 2 3"), update("shop/a 1 1", "shop/a 1 4"))
		if checker.Compare(test.objects) == nil {
			t.Fatalf("Compare returns nil; want an error: %s", test.why)
		}
	}
	if newChecker(t, parts).Compare([]stack.Object{a}) == nil {
		t.Fatalf("Compare without any call returns nil; want an error: the handler does not have shop/a")
	}
}
