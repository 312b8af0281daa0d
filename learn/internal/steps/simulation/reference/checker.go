// Package simulation is the reference of step 12: a checker of the calls of one handler.
package simulation

import (
	"fmt"

	"k8s.io/apimachinery/pkg/util/resourceversion"

	"github.com/thinformer/thinformer/learn/internal/stack"
)

// checker has the state of the objects according to the calls.
type checker struct {
	objects map[string]stack.Object
	// newest has the newest version of each key. It keeps those of deleted objects.
	newest map[string]string
}

// NewChecker returns a checker for the calls of one handler.
func NewChecker() stack.Checker {
	return &checker{objects: map[string]stack.Object{}, newest: map[string]string{}}
}

func (c *checker) Observe(call stack.Call) error {
	object, err := complete(call)
	if err != nil {
		return err
	}
	key := stack.Key(object)
	last, known := c.objects[key]
	switch {
	case call.Type == "add" && known:
		return fmt.Errorf("add of %s at version %s, but the handler has it at %s", key, object.ResourceVersion, last.ResourceVersion)
	case call.Type != "add" && !known:
		return fmt.Errorf("%s of %s at version %s, but the handler does not have it", call.Type, key, object.ResourceVersion)
	case known && object.UID != last.UID:
		return fmt.Errorf("%s of %s with uid %s, but the handler has another object of this name, with uid %s", call.Type, key, object.UID, last.UID)
	case call.Type == "update" && call.Old.ResourceVersion != last.ResourceVersion:
		return fmt.Errorf("update of %s from version %s, but the handler has it at %s", key, call.Old.ResourceVersion, last.ResourceVersion)
	}
	if err := c.advance(key, object.ResourceVersion); err != nil {
		return fmt.Errorf("%s of %s: %w", call.Type, key, err)
	}
	if call.Type == "delete" {
		delete(c.objects, key)
	} else {
		c.objects[key] = object
	}
	return nil
}

// complete returns the object of a call, unless the call lacks an object or has one too
// many.
func complete(call stack.Call) (stack.Object, error) {
	needsOld, needsNew := call.Type != "add", call.Type != "delete"
	switch {
	case call.Type != "add" && call.Type != "update" && call.Type != "delete":
		return nil, fmt.Errorf("a call of the unknown type %q, of %s", call.Type, keyOf(call))
	case needsOld != (call.Old != nil), needsNew != (call.New != nil):
		return nil, fmt.Errorf("%s of %s with old object: %t, new object: %t", call.Type, keyOf(call), call.Old != nil, call.New != nil)
	case needsOld && needsNew && stack.Key(call.Old) != stack.Key(call.New):
		return nil, fmt.Errorf("update from %s to %s", stack.Key(call.Old), stack.Key(call.New))
	case needsNew:
		return call.New, nil
	default:
		return call.Old, nil
	}
}

// keyOf returns the key of a call that may lack objects.
func keyOf(call stack.Call) string {
	switch {
	case call.New != nil:
		return stack.Key(call.New)
	case call.Old != nil:
		return stack.Key(call.Old)
	}
	return "no object"
}

// advance records the version of a call. The same version is legal: a list can repeat
// it, and the last known state is what a deletion that was missed has.
func (c *checker) advance(key, version string) error {
	if newest, seen := c.newest[key]; seen {
		// Versions are numbers in text: "10" is newer than "9".
		order, err := resourceversion.CompareResourceVersion(version, newest)
		if err != nil {
			return err
		}
		if order < 0 {
			return fmt.Errorf("version %s comes after version %s", version, newest)
		}
	}
	c.newest[key] = version
	return nil
}

func (c *checker) Compare(objects []stack.Object) error {
	current := map[string]bool{}
	for _, object := range objects {
		key := stack.Key(object)
		current[key] = true
		last, known := c.objects[key]
		switch {
		case !known:
			return fmt.Errorf("the server has %s at version %s, the handler does not have it", key, object.ResourceVersion)
		case last.UID != object.UID, last.ResourceVersion != object.ResourceVersion:
			return fmt.Errorf("the handler has %s with uid %s at version %s, the server has uid %s at %s",
				key, last.UID, last.ResourceVersion, object.UID, object.ResourceVersion)
		}
	}
	for key, last := range c.objects {
		if !current[key] {
			return fmt.Errorf("the handler has %s at version %s, the server does not have it", key, last.ResourceVersion)
		}
	}
	return nil
}
