package controller_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/thinformer/thinformer/apitest"
	"github.com/thinformer/thinformer/controller"
	"github.com/thinformer/thinformer/informer"
)

// requestsSince returns the number of requests for lists of served resources, and of
// those for the kinds, since the last call.
func (p *testProgram) requestsSince() (lists, others int) {
	for _, r := range p.srv.Requests(apitest.Match{}) {
		switch {
		case strings.Contains(r.Path, "/things"):
			others++
		case isDiscovery(r):
			lists++
		}
	}
	p.srv.ForgetRequests()
	return lists, others
}

// isDiscovery reports whether a request is one for a list of served resources.
func isDiscovery(r apitest.Request) bool {
	return r.Path == "/apis" || r.Path == "/api/v1" || strings.HasPrefix(r.Path, "/apis/") && strings.Count(r.Path, "/") == 3
}

// While 50 kinds are not served, one request every three seconds asks for all of them. A
// kind is reconciled within ten seconds of its definition. When no kind is missing,
// nothing is asked.
func TestMissingKindsAreFoundTogether(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newTestProgram(t, apitest.Options{})
		program := s.start()
		reconciled := make(map[string]time.Time)
		const kinds = 50
		for i := range kinds {
			c, _ := s.controllerOf(numberedKind(i), func(_ context.Context, req controller.Request) (controller.Result, error) {
				reconciled[req.Name] = time.Now()
				return controller.Result{}, nil
			})
			require.NoError(t, program.Add(c))
		}
		time.Sleep(time.Minute)
		lists, others := s.requestsSince()
		require.LessOrEqual(t, lists, 21)
		require.InDelta(t, kinds, others, 6, "the first attempt of each kind, and the first ones without a list")
		time.Sleep(time.Hour)
		lists, others = s.requestsSince()
		require.InDelta(t, 1200, lists, 1)
		require.LessOrEqual(t, others, lists+1, "at most one attempt per list")

		for i := range kinds {
			time.Sleep(1234 * time.Millisecond)
			name := fmt.Sprint("object-", i)
			numberedKind(i).define(t, s.srv)
			numberedKind(i).create(t, s.srv, name)
			defined := time.Now()
			time.Sleep(10 * time.Second)
			synctest.Wait()
			require.Contains(t, reconciled, name, "not reconciled within ten seconds")
			require.Less(t, reconciled[name].Sub(defined), 5*time.Second)
		}
		s.requestsSince()
		time.Sleep(time.Hour)
		lists, _ = s.requestsSince()
		require.Zero(t, lists)
		require.NoError(t, s.stopAndWait())
	})
}

// When the informer that asks for all is released, another one asks.
func TestMissingKindsWithoutTheOneThatAsked(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newTestProgram(t, apitest.Options{})
		s.start()
		var all []*informer.SharedInformer[*thing]
		for i := range 5 {
			_, things := s.controllerOf(numberedKind(i), doNothing)
			all = append(all, things)
		}
		time.Sleep(time.Minute)
		for _, things := range all[:4] {
			things.Release()
			synctest.Wait()
		}
		s.requestsSince()
		time.Sleep(time.Minute)
		lists, _ := s.requestsSince()
		require.InDelta(t, 20, lists, 1)
		numberedKind(4).define(t, s.srv)
		time.Sleep(10 * time.Second)
		require.True(t, all[4].HasSynced())
		require.NoError(t, s.stopAndWait())
	})
}

// recordingKind records the events of an informer of a kind.
func recordingKind(t *testing.T, things *informer.SharedInformer[*thing], events *recorder) {
	t.Helper()
	_, err := things.AddEventHandler(informer.ResourceEventHandlerFuncs[*thing]{
		AddFunc:    func(o *thing, _ bool) { events.add("add " + o.Name + " " + o.APIVersion) },
		UpdateFunc: func(_, o *thing) { events.add("update " + o.Name) },
		DeleteFunc: func(o *thing, _ bool) { events.add("delete " + o.Name) },
	}, informer.HandlerOptions{})
	require.NoError(t, err)
}

// A definition that is deleted and created again with another storage version is
// followed. The objects are deleted with the definition. Those of the new definition are
// received in the version of the informer as long as it is served.
func TestDefinitionRecreatedWithAnotherStorageVersion(t *testing.T) {
	for _, disconnected := range []bool{false, true} {
		t.Run(fmt.Sprintf("disconnected=%v", disconnected), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := newTestProgram(t, apitest.Options{})
				k := numberedKind(1)
				next := k
				next.versions = []string{"v2", "v1"}
				k.define(t, s.srv)
				k.create(t, s.srv, "one")
				k.create(t, s.srv, "two")
				events := new(recorder)
				c, things := s.controllerOf(k, doNothing)
				recordingKind(t, things, events)
				s.start(c)

				end := func() {}
				if disconnected {
					end = s.srv.BeginOutage(apitest.Outage{Kind: apitest.OutageRefused})
					k.loseDefinition(t, s.srv)
					synctest.Wait()
					require.Len(t, slices.Collect(things.Keys()), 2)
				} else {
					k.deleteDefinition(t, s.client)
					time.Sleep(time.Minute)
					require.Empty(t, slices.Collect(things.Keys()), "the server has deleted the objects")
					source := things.State().Source
					require.ErrorContains(t, source.Err, "could not find the requested resource")
					require.Zero(t, source.RetryAt, "it is not known when the kind is served")
					code, body := s.get("/readyz")
					require.Equal(t, 200, code, body)
				}
				next.define(t, s.srv)
				next.create(t, s.srv, "two")
				next.create(t, s.srv, "three")
				end()
				time.Sleep(20 * time.Second)
				synctest.Wait()
				require.Equal(t, []string{"default/three", "default/two"}, slices.Sorted(things.Keys()))
				var deleted, added int
				for _, e := range events.all()[2:] {
					require.NotContains(t, e, "update", "another object with the same name is not an update")
					if strings.HasPrefix(e, "delete") {
						deleted++
					} else {
						added++
						require.Contains(t, e, k.group+"/v1")
					}
				}
				require.Equal(t, 2, deleted)
				require.Equal(t, 2, added)
				require.True(t, c.State().Running)
				require.NoError(t, s.stopAndWait())
			})
		})
	}
}

// While a kind is not served after an outage, its objects stay in the store, since a
// server that does not know the kind yet has not deleted the objects. The next list
// removes them.
func TestObjectsOfMissingKindStay(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newTestProgram(t, apitest.Options{})
		k := numberedKind(1)
		k.define(t, s.srv)
		k.create(t, s.srv, "one")
		c, things := s.controllerOf(k, doNothing)
		s.start(c)
		end := s.srv.BeginOutage(apitest.Outage{Kind: apitest.OutageRefused})
		k.loseDefinition(t, s.srv)
		end()
		time.Sleep(time.Hour)
		require.Equal(t, []string{"default/one"}, slices.Collect(things.Keys()))
		require.ErrorContains(t, things.State().Source.Err, "could not find the requested resource")
		k.define(t, s.srv)
		time.Sleep(10 * time.Second)
		require.Empty(t, slices.Collect(things.Keys()))
		require.NoError(t, s.stopAndWait())
	})
}
