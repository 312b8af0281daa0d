package main

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

const (
	maxBurst     = 10_000
	maxAttempts  = 100 // to find a free name
	burstWorkers = 8
	namePrefix   = "item-"
	burstPrefix  = "burst-"
	fieldManager = "visualizer-page"
)

// objectControls change objects, as a user with kubectl does.
func (c *controls) objectControls() []control {
	name := Parameter{Name: "name", Default: ""}
	return []control{
		{name: "create", needs: needsWrite, parameters: []Parameter{name, {Name: "color", Default: ""}}, run: c.create},
		{name: "update", needs: needsWrite, parameters: []Parameter{name}, run: c.update},
		{name: "delete", needs: needsWrite, parameters: []Parameter{name}, run: c.delete},
		{name: "burst", needs: needsWrite, parameters: []Parameter{{Name: "n", Default: 1000, Min: 1, Max: maxBurst}}, run: c.burst},
		{name: "clear", needs: needsWrite, run: c.clear},
	}
}

// sourceObject returns source number i. A name selects the color.
func sourceObject(name, color string, i int) *ConfigMap {
	if color == "" {
		color = colors[i%len(colors)]
	}
	object := &ConfigMap{Data: map[string]string{"n": "1"}}
	object.Name, object.Labels = name, map[string]string{appLabel: sourceValue, colorLabel: color}
	return object
}

func (c *controls) create(ctx context.Context, args arguments) (reply, error) {
	name, i := c.freeName()
	given := args.texts["name"]
	if given != "" {
		name = given
	}
	for attempt := 1; ; attempt++ {
		object, err := c.objects.Create(ctx, sourceObject(name, args.texts["color"], i), metav1.CreateOptions{FieldManager: fieldManager})
		switch {
		case err == nil:
			return say("created", "key", keyOf(object), "version", object.ResourceVersion), nil
		case given != "" || !apierrors.IsAlreadyExists(err) || attempt == maxAttempts:
			return reply{}, err
		}
		i++ // the cache is behind
		name = itemName(i)
	}
}

// freeName returns the first name that the cache does not have, and its number.
func (c *controls) freeName() (name string, number int) {
	taken := map[string]bool{}
	for object := range c.pipeline.informer.All() {
		taken[object.Name] = true
	}
	for number = 1; ; number++ {
		if name = itemName(number); !taken[name] {
			return name, number
		}
	}
}

func itemName(i int) string { return fmt.Sprintf("%s%04d", namePrefix, i) }

// errNoSource: no object can be changed.
var errNoSource = fail(nil, "noSource")

// named returns the given name, or that of the first source in the cache.
func (c *controls) named(args arguments) (string, error) {
	if name := args.texts["name"]; name != "" {
		return name, nil
	}
	first := ""
	for object := range c.pipeline.informer.All() {
		if isSource(object) && (first == "" || object.Name < first) {
			first = object.Name
		}
	}
	if first == "" {
		return "", errNoSource
	}
	return first, nil
}

func (c *controls) update(ctx context.Context, args arguments) (reply, error) {
	name, err := c.named(args)
	if err != nil {
		return reply{}, err
	}
	object, err := c.change(ctx, name)
	if err != nil {
		return reply{}, err
	}
	return say("changed", "key", keyOf(object), "version", object.ResourceVersion), nil
}

// change sets a number in the data of a source that it has not had. An object that this
// program has not created is not changed.
func (c *controls) change(ctx context.Context, name string) (*ConfigMap, error) {
	object, err := c.source(name)
	if err != nil {
		return nil, err
	}
	n, _ := strconv.Atoi(object.Data["n"])
	patch, err := json.Marshal(map[string]any{"data": map[string]string{"n": strconv.Itoa(c.nextNumber(n))}})
	if err != nil {
		return nil, err
	}
	return c.objects.Patch(ctx, name, types.MergePatchType, patch, metav1.PatchOptions{FieldManager: fieldManager})
}

// nextNumber returns a number after n and after all that it has returned, since the
// cache may be behind.
func (c *controls) nextNumber(n int) int {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.number = max(c.number, n) + 1
	return c.number
}

// source returns a source of the cache.
func (c *controls) source(name string) (*ConfigMap, error) {
	object, ok := c.pipeline.informer.Get(c.objects.ScopedNamespace() + "/" + name)
	if !ok {
		return nil, fail(nil, "noObject", "name", name)
	}
	if !isSource(object) {
		return nil, fail(nil, "notOwn", "name", name, "label", appLabel+"="+sourceValue)
	}
	return object, nil
}

func (c *controls) delete(ctx context.Context, args arguments) (reply, error) {
	name, err := c.named(args)
	if err != nil {
		return reply{}, err
	}
	object, err := c.source(name)
	if err != nil {
		return reply{}, err
	}
	uid := object.UID
	if err := c.objects.Delete(ctx, name, metav1.DeleteOptions{Preconditions: &metav1.Preconditions{UID: &uid}}); err != nil {
		return reply{}, err
	}
	return say("deleted", "key", keyOf(object)), nil
}

// clear deletes all objects that this program has created.
func (c *controls) clear(ctx context.Context, _ arguments) (reply, error) {
	selector := fmt.Sprintf("%s in (%s,%s)", appLabel, sourceValue, copyValue)
	if err := c.objects.DeleteCollection(ctx, metav1.DeleteOptions{}, metav1.ListOptions{LabelSelector: selector}); err != nil {
		return reply{}, err
	}
	return say("cleared"), nil
}

// errBusy: two bursts at once would only wait for each other.
var errBusy = fail(nil, "busy")

// burst makes n changes: it creates objects that do not exist, and changes the others.
func (c *controls) burst(ctx context.Context, args arguments) (reply, error) {
	if !c.busy.TryLock() {
		return reply{}, errBusy
	}
	defer c.busy.Unlock()
	began, n := time.Now(), args.numbers["n"]
	var next, created, changed atomic.Int64
	failures := make([]error, burstWorkers)
	var workers sync.WaitGroup
	for w := range burstWorkers {
		workers.Go(func() {
			for i := int(next.Add(1)); i <= n && failures[w] == nil; i = int(next.Add(1)) {
				failures[w] = c.createOrChange(ctx, i, &created, &changed)
			}
		})
	}
	workers.Wait()
	if i := slices.IndexFunc(failures, func(err error) bool { return err != nil }); i >= 0 {
		return reply{}, fail(failures[i], "burstFailed", "count", created.Load()+changed.Load(), "error", failures[i])
	}
	return say("burst", "created", created.Load(), "changed", changed.Load(), "ms", time.Since(began).Milliseconds()), nil
}

func (c *controls) createOrChange(ctx context.Context, i int, created, changed *atomic.Int64) error {
	name := fmt.Sprintf("%s%05d", burstPrefix, i)
	if _, err := c.source(name); err == nil {
		if _, err = c.change(ctx, name); !apierrors.IsNotFound(err) {
			changed.Add(1)
			return err
		}
	}
	_, err := c.objects.Create(ctx, sourceObject(name, "", i), metav1.CreateOptions{FieldManager: fieldManager})
	if err == nil || apierrors.IsAlreadyExists(err) { // the cache is behind
		created.Add(1)
		return nil
	}
	return err
}
