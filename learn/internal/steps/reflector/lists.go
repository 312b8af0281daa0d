package reflector

import (
	"errors"
	"fmt"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/thinformer/thinformer/learn/internal/judge"
	"github.com/thinformer/thinformer/learn/internal/scripted"
	"github.com/thinformer/thinformer/learn/internal/stack"
)

// The checks of lists, and of watches that end.

var (
	a, b, c    = scripted.Object("a", "8"), scripted.Object("b", "9"), scripted.Object("c", "18")
	errExpired = apierrors.NewResourceExpired("too old resource version")
	errServer  = apierrors.NewInternalError(errors.New("etcd has no leader"))
)

// endsAt is the end of a watch that has reached a version.
func endsAt(version string, err error) ending {
	return func(stack.Store) (string, error) { return version, err }
}

func checkList(t *judge.T, parts stack.Parts) {
	r := newRun(t, &scripted.Source{Lists: []scripted.Answer{scripted.Lists("10", a, b)}})
	atBegin := ""
	r.begun = func() { atBegin = r.store.Log() }
	r.start(parts, false)
	const after = "a list of two objects with the version 10"
	r.stored("replace a 8 b 9 to 10", after)
	r.followed("10", after)
	if atBegin == "" {
		t.Fatalf("%s: the watch begins before the store has the list; its first event may be older than the list", after)
	}
}

func checkNewest(t *judge.T, parts stack.Parts) {
	r := newRun(t, &scripted.Source{Lists: []scripted.Answer{scripted.Lists("10", a), scripted.Lists("20", a)}}, endsAt("15", errExpired))
	r.start(parts, false)
	r.after(10 * time.Minute)
	withoutVersion(r, "a list, a watch from 10 to 15, a list")

	opens := scripted.Opens(scripted.Added("a", "8"), scripted.Mark("20"))
	streams := newRun(t, &scripted.Source{Watches: []scripted.Answer{opens, opens}, Lists: []scripted.Answer{scripted.Lists("20", a)}}, endsAt("25", errExpired))
	streams.start(parts, true)
	streams.after(10 * time.Minute)
	withoutVersion(streams, "a streamed list, a watch from 20 to 25, a list")
}

// withoutVersion fails if a list or a streamed list of a run has a version.
func withoutVersion(r *run, after string) {
	for _, request := range r.source.Requests() {
		if got := request.Options.ResourceVersion; got != "" {
			r.t.Fatalf("%s: a list is requested with the version %q, want none: only a list without a version is the newest state; one from version 0 may be older than the store", after, got)
		}
	}
}

func checkIncomplete(t *judge.T, parts stack.Parts) {
	r := newRun(t, &scripted.Source{Lists: []scripted.Answer{scripted.ListsUntil(errServer, a), scripted.Lists("10", a, b)}})
	r.start(parts, false)
	const after = "a list that fails after its first object"
	r.stored("", after)
	r.followed("", after)
	r.after(10 * time.Minute)
	r.requestedAt(1, time.Minute, after, "wait for Backoff.Next, here 1 minute")
	r.stored("replace a 8 b 9 to 10", after+", then a complete one")
}

func checkFailedLists(t *judge.T, parts stack.Parts) {
	fails := scripted.Fails(errServer)
	r := newRun(t, &scripted.Source{Lists: []scripted.Answer{fails, fails, fails, scripted.Lists("10", a)}})
	r.start(parts, false)
	r.after(20 * time.Minute)
	for number, at := range []time.Duration{0, time.Minute, 3 * time.Minute, 6 * time.Minute} {
		r.requestedAt(number, at, fmt.Sprintf("failed lists so far: %d", number), "wait for Backoff.Next (1, 2, 3 minutes) after each")
	}
	r.stored("replace a 8 to 10", "three failed lists and a complete one")
}

func checkExpired(t *judge.T, parts stack.Parts) {
	r := newRun(t, &scripted.Source{Lists: []scripted.Answer{scripted.Lists("10", a, b), scripted.Lists("20", b, c)}}, endsAt("15", errExpired))
	r.start(parts, false)
	r.after(10 * time.Minute)
	const after = "Follow(10) returns 15 and a 410"
	r.requestedAt(1, 0, after, "the watch has made progress, and the list needs no back-off")
	r.requested("list, list", after)
	r.stored("replace a 8 b 9 to 10, replace b 9 c 18 to 20", after)
	r.followed("10, 20", after)
	r.end()

	resource := schema.GroupResource{Resource: "configmaps"}
	for _, err := range []error{
		apierrors.NewForbidden(resource, "", errors.New("no")), apierrors.NewNotFound(resource, ""), errors.New("the store is full"),
	} {
		r := newRun(t, &scripted.Source{Lists: []scripted.Answer{scripted.Lists("10", a, b), scripted.Lists("20", b, c)}}, endsAt("15", err))
		r.start(parts, false)
		r.after(10 * time.Minute)
		r.requested("list, list", fmt.Sprintf("Follow(10) returns 15 and the error %q", err))
		r.end()
	}
}

func checkNoProgress(t *judge.T, parts stack.Parts) {
	list := scripted.Lists("10", a)
	r := newRun(t, &scripted.Source{Lists: []scripted.Answer{list, list, list, list}}, endsAt("10", errExpired), endsAt("10", errExpired), endsAt("10", errExpired))
	r.start(parts, false)
	r.after(20 * time.Minute)
	for number, at := range []time.Duration{0, time.Minute, 3 * time.Minute, 6 * time.Minute} {
		r.requestedAt(number, at, fmt.Sprintf("%d times a list, then Follow(10) returns 10 and a 410", number),
			"wait for Backoff.Next (1, 2, 3 minutes); a list alone does not reset it, or the lists never become fewer")
	}
}

func checkProgress(t *judge.T, parts stack.Parts) {
	fails, list := scripted.Fails(errServer), scripted.Lists("10", a)
	r := newRun(t, &scripted.Source{Lists: []scripted.Answer{fails, fails, list, fails, list}}, endsAt("11", errExpired))
	r.start(parts, false)
	r.after(20 * time.Minute)
	const after = "two failed lists, a watch from 10 to 11, a failed list"
	r.requestedAt(3, 3*time.Minute, "a watch from 10 to 11", "the list needs no back-off")
	r.requestedAt(4, 4*time.Minute, after, "the progress resets the back-off: the next time is the first, 1 minute")
	r.end()

	// A stream that fails is no progress.
	streams := newRun(t, &scripted.Source{Watches: []scripted.Answer{fails, fails, fails}, Lists: []scripted.Answer{fails, fails, list}})
	streams.start(parts, true)
	streams.after(20 * time.Minute)
	if _, resets := streams.backoff.Calls(); resets > 0 {
		t.Fatalf("streamed lists and lists that fail: Backoff.Reset is called %d times, but only a watch that makes progress resets the back-off", resets)
	}
}

func checkReplaceError(t *judge.T, parts stack.Parts) {
	r := newRun(t, &scripted.Source{Lists: []scripted.Answer{scripted.Lists("10", a), scripted.Lists("11", a)}})
	full := errors.New("the store is full")
	r.store.Before = func(string) error {
		err := full
		full = nil
		return err
	}
	r.start(parts, false)
	const after = "Replace of the store returns an error"
	r.followed("", after)
	if got := r.reflector.LastVersion(); got != "" {
		t.Fatalf("%s: LastVersion is %q, want none", after, got)
	}
	r.after(10 * time.Minute)
	r.requestedAt(1, time.Minute, after, "wait for Backoff.Next, here 1 minute, then list again")
	r.stored("replace a 8 to 11", after+", then succeeds")
}

func checkLastVersion(t *judge.T, parts stack.Parts) {
	r := newRun(t, &scripted.Source{Lists: []scripted.Answer{scripted.Lists("10", a)}}, func(store stack.Store) (string, error) {
		_ = store.Add(scripted.Object("b", "11"))
		_ = store.Update(scripted.Object("b", "12"))
		_ = store.Delete(scripted.Object("b", "13"))
		store.Bookmark("20")
		_ = store.Add(scripted.Object("c", "21"))
		_ = store.Update(scripted.Object("c", "22"))
		return "20", store.Delete(scripted.Object("c", "23"))
	})
	last, previous := "", ""
	r.store.Before = func(call string) error {
		version := call[len(call)-2:]
		switch got := r.reflector.LastVersion(); {
		case got == last:
		case got == version:
			t.Errorf("LastVersion is already %q during the call %q of the store, want %q: the call has not returned", got, call, last)
		case version > "21":
			t.Errorf("LastVersion is %q after the call %q of the store has failed, want %q", got, previous, last)
		default:
			t.Errorf("LastVersion is %q during the call %q of the store, want %q, the version of the call before: pass options.Follow a store that records the versions", got, call, last)
		}
		previous = call
		if version > "20" {
			return errors.New("the store is full")
		}
		last = version
		return nil
	}
	r.start(parts, false)
	if got := r.reflector.LastVersion(); got != "20" {
		t.Fatalf("a list with version 10, an Add, an Update and a Delete with versions 11 to 13, a bookmark with version 20, then calls that fail: LastVersion is %q, want 20", got)
	}
	r.stored("replace a 8 to 10, add b 11, update b 12, delete b 13, bookmark 20", "the calls of the Follower")
}
