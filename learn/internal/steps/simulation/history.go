package simulation

import (
	"fmt"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/thinformer/thinformer/learn/internal/judge"
	"github.com/thinformer/thinformer/learn/internal/stack"
)

// object returns an object from its key, its uid and its version: "shop/a 1 10".
func object(text string) stack.Object {
	fields := strings.Fields(text)
	namespace, name, _ := strings.Cut(fields[0], "/")
	return &stack.ConfigMap{ObjectMeta: metav1.ObjectMeta{
		Namespace: namespace, Name: name, UID: types.UID(fields[1]), ResourceVersion: fields[2],
	}}
}

func add(text string) stack.Call { return stack.Call{Type: "add", New: object(text)} }

func initial(text string) stack.Call {
	return stack.Call{Type: "add", New: object(text), Initial: true}
}

func update(old, text string) stack.Call {
	return stack.Call{Type: "update", Old: object(old), New: object(text)}
}

func remove(text string) stack.Call { return stack.Call{Type: "delete", Old: object(text)} }

// callText is a short form of a call for messages.
func callText(call stack.Call) string {
	text := call.Type
	for _, object := range []stack.Object{call.Old, call.New} {
		if object != nil {
			text += fmt.Sprintf(" %s@%s", stack.Key(object), object.ResourceVersion)
		}
	}
	return text
}

// newChecker returns the checker of a solution.
func newChecker(t *judge.T, parts stack.Parts) stack.Checker {
	checker := parts.NewChecker()
	if checker == nil {
		t.Fatalf("NewChecker returns nil")
	}
	return checker
}

// observed returns a checker that has observed legal calls.
func observed(t *judge.T, parts stack.Parts, calls ...stack.Call) stack.Checker {
	t.Helper()
	checker := newChecker(t, parts)
	for i, call := range calls {
		if err := checker.Observe(call); err != nil {
			t.Fatalf("after %s, Observe of the legal call %s returns: %v", callsText(calls[:i]), callText(call), err)
		}
	}
	return checker
}

// callsText joins calls: "nothing" if there are none.
func callsText(calls []stack.Call) string {
	texts := make([]string, len(calls))
	for i, call := range calls {
		texts[i] = callText(call)
	}
	if len(texts) == 0 {
		return "nothing"
	}
	return strings.Join(texts, ", ")
}

// illegal fails unless Observe of the last call returns an error. why says what is
// wrong with it.
func illegal(t *judge.T, parts stack.Parts, why string, calls ...stack.Call) {
	t.Helper()
	before, last := calls[:len(calls)-1], calls[len(calls)-1]
	if err := observed(t, parts, before...).Observe(last); err == nil {
		t.Fatalf("after %s, Observe of %s returns nil; want an error: %s", callsText(before), callText(last), why)
	}
}
