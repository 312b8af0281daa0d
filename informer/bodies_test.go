package informer_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"runtime"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"
	"weak"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/thinformer/thinformer/apitest"
	"github.com/thinformer/thinformer/informer"
	"github.com/thinformer/thinformer/rest"
)

type Secret struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata"`
	Data              map[string][]byte `json:"data,omitempty"`
}

var secrets = rest.ResourceInfo{
	GroupVersionResource: schema.GroupVersionResource{Version: "v1", Resource: "secrets"},
	Kind:                 "Secret", Namespaced: true,
}

// getSecrets matches the requests for bodies.
var getSecrets = apitest.Match{Verb: "get", Resource: "secrets"}

// lateWatch delays the changes of the metadata by a minute.
var lateWatch = apitest.Fault{Match: apitest.Match{Verb: "watch", Resource: "secrets"}, Action: apitest.DelayEvents(time.Minute)}

// bodiesFixture has the Bodies of the secrets of a server, in fake time.
type bodiesFixture struct {
	*factoryFixture
	bodies *informer.Bodies[*Secret]
}

func withBodies(t *testing.T, o informer.BodyOptions[*Secret], test func(y *bodiesFixture), faults ...apitest.Fault) {
	withFactory(t, informer.FactoryOptions{}, func(y *factoryFixture) {
		for _, fault := range faults {
			y.server.Fault(fault)
		}
		b := &bodiesFixture{y, nil}
		for _, name := range []string{"a", "b", "c"} {
			b.createSecret(name, "secret of "+name)
		}
		b.bodies = informer.ForBodies(y.factory, rest.NewView[*Secret](y.client, secrets), o)
		y.start()
		test(b)
	})
}

func (y *bodiesFixture) createSecret(name, content string) *Secret {
	return apitest.Create(y.t, y.server, &Secret{
		TypeMeta:   metav1.TypeMeta{APIVersion: "v1", Kind: "Secret"},
		ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: name},
		Data:       map[string][]byte{"key": []byte(content)},
	})
}

func (y *bodiesFixture) setSecret(name, content string) {
	apitest.Modify(y.t, y.server, y.secret(name), func(s *Secret) { s.Data["key"] = []byte(content) })
}

func (y *bodiesFixture) secret(name string) *Secret {
	return apitest.Get(y.t, y.server, &Secret{TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "Secret"}, ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: name}})
}

// content returns the content of a secret, read from the Bodies. It does not end the
// test, so that any goroutine can call it.
func (y *bodiesFixture) content(name string) string {
	secret, ok, err := y.bodies.Get(y.ctx, "shop/"+name)
	switch {
	case err != nil:
		return "error: " + err.Error()
	case !ok:
		return "absent"
	}
	return string(secret.Data["key"])
}

// requests returns how many bodies were requested.
func (y *bodiesFixture) requests() int { return len(y.server.Requests(getSecrets)) }

// Promise: only metadata is watched, a body costs one request while its version is
// current, and one that has changed is requested at the next read.
func TestBodiesAreReadOnDemand(t *testing.T) {
	withBodies(t, informer.BodyOptions[*Secret]{}, func(y *bodiesFixture) {
		require.Zero(t, y.requests())
		for range 3 {
			require.Equal(t, "secret of a", y.content("a"))
		}
		require.Equal(t, 1, y.requests())
		y.setSecret("a", "new")
		y.setSecret("b", "new")
		synctest.Wait()
		require.Equal(t, 1, y.requests(), "a change requests nothing")
		require.Equal(t, "new", y.content("a"))
		require.Equal(t, "new", y.content("a"))
		require.Equal(t, 2, y.requests())
		require.Equal(t, "absent", y.content("z"))
		require.Equal(t, 2, y.requests(), "an object without metadata is not requested")
	})
}

// Promise: readers of one body share one request.
func TestConcurrentReadersOfABodyShareOneRequest(t *testing.T) {
	withBodies(t, informer.BodyOptions[*Secret]{}, func(y *bodiesFixture) {
		y.server.Fault(apitest.Fault{Match: getSecrets, Action: apitest.Delay(time.Second)})
		var readers sync.WaitGroup
		for range 100 {
			readers.Go(func() { assert.Equal(t, "secret of a", y.content("a")) })
		}
		readers.Wait()
		require.Equal(t, 1, y.requests())
	})
}

// Promise: MaxRequests limits the requests that run at the same time.
func TestConcurrentRequestsForBodiesAreLimited(t *testing.T) {
	withBodies(t, informer.BodyOptions[*Secret]{MaxRequests: 2}, func(y *bodiesFixture) {
		y.server.Fault(apitest.Fault{Match: getSecrets, Action: apitest.Delay(time.Second)})
		var readers sync.WaitGroup
		begin := time.Now()
		for _, name := range []string{"a", "b", "c"} {
			readers.Go(func() { assert.Equal(t, "secret of "+name, y.content(name)) })
		}
		synctest.Wait()
		require.Equal(t, 2, y.requests(), "two are running")
		readers.Wait()
		require.Equal(t, 3, y.requests())
		require.Equal(t, 2*time.Second, time.Since(begin))
	})
}

// Promise: a request ends when its last reader has given up, and not before. A reader that
// waits for a free slot can give up too.
func TestAReaderThatGivesUpDoesNotEndTheRequestOfOthers(t *testing.T) {
	withBodies(t, informer.BodyOptions[*Secret]{MaxRequests: 1}, func(y *bodiesFixture) {
		slow := y.server.Fault(apitest.Fault{Match: getSecrets, Action: apitest.Delay(time.Minute)})
		impatient, giveUp := context.WithCancel(y.ctx)
		second, giveUpToo := context.WithCancel(y.ctx)
		results := make(chan error, 3)
		read := func(ctx context.Context, name string) {
			_, _, err := y.bodies.Get(ctx, "shop/"+name)
			results <- err
		}
		go read(impatient, "a")
		synctest.Wait()
		go read(second, "a")
		go read(second, "b") // waits for the slot
		synctest.Wait()
		require.Equal(t, 1, y.running())

		giveUp()
		require.ErrorIs(t, <-results, context.Canceled)
		require.Equal(t, 1, y.running(), "the second reader still waits")
		giveUpToo()
		require.ErrorIs(t, <-results, context.Canceled)
		require.ErrorIs(t, <-results, context.Canceled)
		require.Zero(t, y.running())
		require.Equal(t, 1, y.requests(), "the other one was never sent")

		slow.Remove()
		require.Equal(t, "secret of a", y.content("a"), "a new reader begins anew")
		require.Equal(t, "secret of b", y.content("b"))
	})
}

// running returns the number of running requests for bodies.
func (y *bodiesFixture) running() (n int) {
	synctest.Wait()
	for _, request := range y.server.Requests(getSecrets) {
		if request.Running {
			n++
		}
	}
	return n
}

// Promise: a reader that needs a newer version than a running request returns does not
// share that request.
func TestAReaderDoesNotShareAnOlderRequest(t *testing.T) {
	withBodies(t, informer.BodyOptions[*Secret]{}, func(y *bodiesFixture) {
		first := y.server.Fault(apitest.Fault{Match: getSecrets, Times: 1, Action: apitest.Delay(10 * time.Second)})
		done := make(chan string, 1)
		go func() { done <- y.content("a") }()
		synctest.Wait()
		y.setSecret("a", "new")
		synctest.Wait()
		require.Equal(t, "new", y.content("a"))
		require.Equal(t, 2, y.requests())
		require.Equal(t, "new", <-done)
		require.Equal(t, 1, first.Fired())
		require.Equal(t, "new", y.content("a"))
		require.Equal(t, 2, y.requests(), "the body of the newer version is kept")
	})
}

// Promise: without the right to get, the error is the server's, and says what is missing.
// It is never "absent", and it is not kept.
func TestBodiesWithoutTheRightToGet(t *testing.T) {
	withBodies(t, informer.BodyOptions[*Secret]{}, func(y *bodiesFixture) {
		forbidden := apierrors.NewForbidden(schema.GroupResource{Resource: "secrets"}, "a", errors.New("no rule"))
		refused := y.server.Fault(apitest.Fault{Match: getSecrets, Action: apitest.FailWith(forbidden)})
		_, ok, err := y.bodies.Get(y.ctx, "shop/a")
		require.False(t, ok)
		require.True(t, apierrors.IsForbidden(err), "%v", err)
		require.ErrorContains(t, err, "body of secrets shop/a: ")
		require.ErrorContains(t, err, "bodies need the verb get on secrets, beside list and watch")
		refused.Remove()
		require.Equal(t, "secret of a", y.content("a"), "after the right was granted")
	})
}

// Promise: the same for a resource that does not support the verb get.
func TestBodiesOfAKindWithoutGet(t *testing.T) {
	withBodies(t, informer.BodyOptions[*Secret]{}, func(y *bodiesFixture) {
		y.server.Fault(apitest.Fault{Match: getSecrets, Action: apitest.FailWith(apierrors.NewMethodNotSupported(schema.GroupResource{Resource: "secrets"}, "get"))})
		_, ok, err := y.bodies.Get(y.ctx, "shop/a")
		require.False(t, ok)
		require.True(t, apierrors.IsMethodNotSupported(err), "%v", err)
		require.ErrorContains(t, err, "bodies need the verb get on secrets")
	})
}

// Promise: an object that the server has deleted is absent, although the metadata still
// has it. A 404 without a Status says nothing about the object.
func TestABodyThatDisappearedInBetweenIsAbsent(t *testing.T) {
	withBodies(t, informer.BodyOptions[*Secret]{}, func(y *bodiesFixture) {
		y.server.Fault(apitest.Fault{Match: getSecrets, Times: 1, Action: apitest.Respond(http.StatusNotFound, "text/plain", "404 page not found")})
		_, ok, err := y.bodies.Get(y.ctx, "shop/a")
		require.False(t, ok)
		require.True(t, apierrors.IsNotFound(err), "%v", err)

		_, _, before, err := y.bodies.Read(y.ctx, "shop/a")
		require.NoError(t, err)
		y.createSecret("d", "later")
		apitest.Delete(t, y.server, y.secret("b"))
		require.Contains(t, keysOf(y.bodies), "shop/b", "the watch is late")
		require.Equal(t, "absent", y.content("b"))
		_, ok, revision, err := y.bodies.Read(y.ctx, "shop/b")
		require.NoError(t, err)
		require.False(t, ok)
		require.Equal(t, before, revision, "the deletion follows with a higher revision")

		time.Sleep(2 * time.Minute)
		require.NotContains(t, keysOf(y.bodies), "shop/b")
		requests := y.requests()
		require.Equal(t, "absent", y.content("b"))
		require.Equal(t, requests, y.requests())
		_, _, revision, err = y.bodies.Read(y.ctx, "shop/b")
		require.NoError(t, err)
		require.Greater(t, revision, before)
	}, lateWatch)
}

// Promise: a body that is newer than the metadata is returned, with the revision of the
// older metadata, so that the change that follows counts as one after the read. It is
// kept when the metadata has arrived.
func TestABodyNewerThanTheMetadataIsReturned(t *testing.T) {
	withBodies(t, informer.BodyOptions[*Secret]{}, func(y *bodiesFixture) {
		_, _, before, err := y.bodies.Read(y.ctx, "shop/b")
		require.NoError(t, err)
		y.setSecret("a", "new")
		secret, ok, revision, err := y.bodies.Read(y.ctx, "shop/a")
		require.NoError(t, err)
		require.True(t, ok)
		require.Equal(t, "new", string(secret.Data["key"]))
		require.Equal(t, before, revision)

		for _, content := range []string{"new", "newer"} { // requested again while the metadata is late
			y.setSecret("c", content)
			require.Equal(t, content, y.content("c"))
		}

		time.Sleep(2 * time.Minute)
		requests := y.requests()
		_, _, revision, err = y.bodies.Read(y.ctx, "shop/a")
		require.NoError(t, err)
		require.Greater(t, revision, before)
		require.Equal(t, requests, y.requests())
	}, lateWatch)
}

// Promise: if the server returns an older body than the metadata, it is asked for the
// version of the metadata. After three responses, the error has both versions.
func TestABodyOlderThanTheMetadataIsRequestedAgain(t *testing.T) {
	withBodies(t, informer.BodyOptions[*Secret]{}, func(y *bodiesFixture) {
		old := y.secret("a")
		text, err := json.Marshal(old)
		require.NoError(t, err)
		y.setSecret("a", "new")
		y.setSecret("b", "new")
		synctest.Wait()
		stale := apitest.Respond(http.StatusOK, "application/json", string(text))
		y.server.Fault(apitest.Fault{Match: getSecrets, Times: 1, Action: stale})
		require.Equal(t, "new", y.content("a"))
		current := y.secret("a").ResourceVersion
		require.Equal(t, []string{"", current}, y.askedVersions())

		y.setSecret("a", "newer")
		synctest.Wait()
		current = y.secret("a").ResourceVersion
		y.server.Fault(apitest.Fault{Match: getSecrets, Times: 3, Action: stale})
		y.server.ForgetRequests()
		_, ok, err := y.bodies.Get(y.ctx, "shop/a")
		require.False(t, ok)
		require.ErrorContains(t, err, fmt.Sprintf("body of secrets shop/a: the server returned version %s 3 times, and the metadata has version %s", old.ResourceVersion, current))
		require.Equal(t, []string{"", current, current}, y.askedVersions())
		require.Equal(t, "newer", y.content("a"), "the next read begins anew")

		y.setSecret("a", "newest")
		synctest.Wait()
		y.server.Fault(apitest.Fault{Match: getSecrets, Times: 1, Action: stale})
		y.server.Fault(apitest.Fault{Match: getSecrets, Nth: 1, Times: 1, Action: apitest.FailWith(apierrors.NewForbidden(schema.GroupResource{Resource: "secrets"}, "a", nil))})
		_, _, err = y.bodies.Get(y.ctx, "shop/a")
		require.True(t, apierrors.IsForbidden(err))
		require.ErrorContains(t, err, fmt.Sprintf("the server returned version %s, and the metadata has version %s: secrets", old.ResourceVersion, y.secret("a").ResourceVersion))
	})
}

// askedVersions returns the versions in the requests for bodies.
func (y *bodiesFixture) askedVersions() (versions []string) {
	for _, request := range y.server.Requests(getSecrets) {
		versions = append(versions, request.Parameter("resourceVersion"))
	}
	return versions
}

// Promise: bodies are dropped beyond MaxBodies and MaxBytes, those that were not read for
// the longest time first. A body that is larger than MaxBytes is not kept.
func TestKeptBodiesAreBoundedByNumberAndBytes(t *testing.T) {
	for name, o := range map[string]informer.BodyOptions[*Secret]{
		"number": {MaxBodies: 2},
		"bytes":  {MaxBodies: -1, MaxBytes: 50_000},
	} {
		t.Run(name, func(t *testing.T) {
			withBodies(t, o, func(y *bodiesFixture) {
				for _, name := range []string{"a", "b", "c"} {
					y.setSecret(name, strings.Repeat(name, 20_000))
				}
				synctest.Wait()
				requests := func(names string) int {
					y.server.ForgetRequests()
					for _, name := range strings.Split(names, "") {
						require.Equal(t, strings.Repeat(name, 20_000), y.content(name))
					}
					return y.requests()
				}
				require.Equal(t, 2, requests("abab"))
				require.Equal(t, 1, requests("aca"), "c replaces b, which was read before a")
				require.Equal(t, 1, requests("ba"))
				require.Equal(t, 0, requests("ab"))
			})
		})
	}
	withBodies(t, informer.BodyOptions[*Secret]{MaxBytes: 1000}, func(y *bodiesFixture) {
		y.setSecret("a", strings.Repeat("a", 1000))
		synctest.Wait()
		require.Equal(t, "secret of b", y.content("b"))
		y.content("a")
		y.content("a")
		require.Equal(t, 3, y.requests())
		require.Equal(t, "secret of b", y.content("b"))
		require.Equal(t, 3, y.requests(), "it drops no other")
	})
}

// Promise: State has the number and the bytes of the bodies that a Bodies keeps, that of
// the informer of the metadata has the sums.
func TestStateCountsKeptBodies(t *testing.T) {
	withBodies(t, informer.BodyOptions[*Secret]{MaxBodies: 2}, func(y *bodiesFixture) {
		other := informer.ForBodies(y.factory, rest.NewView[*Secret](y.client, secrets), informer.BodyOptions[*Secret]{})
		check := func(own, others int) {
			t.Helper()
			synctest.Wait()
			mine, theirs, sum := y.bodies.State(), other.State(), y.factory.Informers()[0].State()
			require.Equal(t, []int{own, others, own + others}, []int{mine.Bodies, theirs.Bodies, sum.Bodies})
			for _, s := range []informer.State{mine, theirs, sum} {
				require.Equal(t, s.Bodies > 0, s.BodyBytes > 0)
			}
			require.Equal(t, mine.BodyBytes+theirs.BodyBytes, sum.BodyBytes)
		}
		check(0, 0)
		_, _, err := other.Get(y.ctx, "shop/a")
		require.NoError(t, err)
		y.content("a")
		check(1, 1)
		y.setSecret("b", strings.Repeat("b", 100_000))
		synctest.Wait()
		y.content("b")
		check(2, 1)
		require.Greater(t, y.bodies.State().BodyBytes, int64(100_000))
		y.content("c")
		check(2, 1)
		require.Less(t, y.bodies.State().BodyBytes, int64(200_000))
		y.setSecret("b", "small")
		apitest.Delete(t, y.server, y.secret("a"))
		check(1, 0)
		y.content("b")
		check(2, 0)
		y.bodies.Release()
		check(0, 0)
		_, _, err = other.Get(y.ctx, "shop/c")
		require.NoError(t, err)
		check(0, 1)
		time.Sleep(11 * time.Minute)
		check(0, 0)
	})
}

// Promise: a body that was not read for MaxIdle is dropped, without another call.
func TestIdleBodiesAreDropped(t *testing.T) {
	withBodies(t, informer.BodyOptions[*Secret]{MaxIdle: time.Minute}, func(y *bodiesFixture) {
		body := map[string]weak.Pointer[Secret]{}
		for _, name := range []string{"a", "b"} {
			secret, _, err := y.bodies.Get(y.ctx, "shop/"+name)
			require.NoError(t, err)
			body[name] = weak.Make(secret)
		}
		time.Sleep(40 * time.Second)
		y.content("b")
		time.Sleep(40 * time.Second)
		runtime.GC()
		require.Nil(t, body["a"].Value())
		require.NotNil(t, body["b"].Value())
		require.Equal(t, 2, y.requests())
		y.content("b")
		require.Equal(t, 2, y.requests())
		y.content("a")
		require.Equal(t, 3, y.requests())
	})
}

// Promise: a body is dropped as soon as its metadata changes or disappears.
func TestAChangeDropsTheBody(t *testing.T) {
	withBodies(t, informer.BodyOptions[*Secret]{}, func(y *bodiesFixture) {
		body := map[string]weak.Pointer[Secret]{}
		for _, name := range []string{"a", "b", "c"} {
			secret, _, err := y.bodies.Get(y.ctx, "shop/"+name)
			require.NoError(t, err)
			body[name] = weak.Make(secret)
		}
		y.setSecret("a", "new")
		apitest.Delete(t, y.server, y.secret("b"))
		synctest.Wait()
		runtime.GC()
		require.Nil(t, body["a"].Value())
		require.Nil(t, body["b"].Value())
		require.NotNil(t, body["c"].Value())
	})
}

// Promise: after Release, reads return ErrReleased, also those that are running, and
// nothing is left running. Another user of the metadata is not affected.
func TestReleaseOfBodies(t *testing.T) {
	withBodies(t, informer.BodyOptions[*Secret]{MaxRequests: 1}, func(y *bodiesFixture) {
		other := informer.ForBodies(y.factory, rest.NewView[*slimPod](y.client, secrets), informer.BodyOptions[*slimPod]{})
		require.Len(t, y.factory.Informers(), 1, "they share the metadata")
		require.Equal(t, "secrets (metadata)", other.State().Name)
		y.content("c")
		slow := y.server.Fault(apitest.Fault{Match: getSecrets, Action: apitest.Delay(time.Minute)})
		results := make(chan error, 2)
		for _, key := range []string{"shop/a", "shop/b"} { // one request waits for the other
			go func() {
				_, _, err := y.bodies.Get(y.ctx, key)
				results <- err
			}()
		}
		require.Equal(t, 1, y.running())
		y.bodies.Release()
		y.bodies.Release()
		require.ErrorIs(t, <-results, informer.ErrReleased)
		require.ErrorIs(t, <-results, informer.ErrReleased)
		require.Zero(t, y.running())
		_, _, err := y.bodies.Get(y.ctx, "shop/c")
		require.ErrorIs(t, err, informer.ErrReleased)

		slow.Remove()
		_, ok, err := other.Get(y.ctx, "shop/a")
		require.NoError(t, err)
		require.True(t, ok)
		require.Equal(t, 1, y.watches())
		other.Release()
		require.Zero(t, y.watches())
	})
}

// Promise: the requests end with the factory.
func TestShutdownEndsTheRequestsForBodies(t *testing.T) {
	withBodies(t, informer.BodyOptions[*Secret]{}, func(y *bodiesFixture) {
		y.content("c")
		y.server.Fault(apitest.Fault{Match: getSecrets, Action: apitest.Delay(time.Minute)})
		result := make(chan error, 1)
		go func() {
			_, _, err := y.bodies.Get(y.ctx, "shop/a")
			result <- err
		}()
		require.Equal(t, 1, y.running())
		require.NoError(t, y.factory.Shutdown())
		require.ErrorIs(t, <-result, informer.ErrStopped)
		_, _, err := y.bodies.Get(y.ctx, "shop/c")
		require.ErrorIs(t, err, informer.ErrStopped, "no change of c could be observed")
	})
}

// Promise: a server that was restored from a backup gives the same version to another
// content. A body of the time before is not returned for it.
func TestBodiesAfterARestoreFromABackup(t *testing.T) {
	withBodies(t, informer.BodyOptions[*Secret]{MaxIdle: -1}, func(y *bodiesFixture) {
		y.setSecret("b", "before")
		time.Sleep(2 * time.Minute)
		y.setSecret("a", "before")
		require.Equal(t, "before", y.content("a"), "a body of which the metadata has not arrived")
		lost := y.secret("a").ResourceVersion
		y.server.RestartFromBackup(2)
		time.Sleep(10 * time.Minute)
		require.Equal(t, 1, y.bodies.State().Epoch)
		y.setSecret("b", "after")
		y.setSecret("a", "after")
		require.Equal(t, lost, y.secret("a").ResourceVersion)
		time.Sleep(2 * time.Minute)
		require.Equal(t, "after", y.content("a"))
	}, lateWatch)
}

// Promise: the same while the store has the metadata of the new epoch and the informer has
// not reported it yet.
func TestBodiesWhileANewEpochBegins(t *testing.T) {
	var y *bodiesFixture
	var during []string
	withFactory(t, informer.FactoryOptions{Trace: &informer.Trace{Stored: func(i informer.TraceInfo) {
		if y != nil && i.Key == "shop/a" && i.Event == "update" {
			during = append(during, fmt.Sprint(y.bodies.State().Epoch, " ", y.content("b")))
		}
	}}}, func(f *factoryFixture) {
		y = &bodiesFixture{f, nil}
		y.createSecret("a", "a")
		y.createSecret("b", "b")
		y.bodies = informer.ForBodies(y.factory, rest.NewView[*Secret](y.client, secrets), informer.BodyOptions[*Secret]{MaxIdle: -1})
		y.start()
		y.setSecret("b", "before")
		reused := y.secret("b").ResourceVersion
		synctest.Wait()
		require.Equal(t, "before", y.content("b"))
		for i := range 20 {
			y.createSecret(fmt.Sprint("later-", i), "")
		}
		synctest.Wait()
		y.server.RestartFromBackup(21)
		y.setSecret("b", "after")
		require.Equal(t, reused, y.secret("b").ResourceVersion)
		y.setSecret("a", "after")
		y.server.Compact()
		time.Sleep(10 * time.Minute)
		synctest.Wait()
		require.Equal(t, []string{"0 after"}, during)
		require.Equal(t, 1, y.bodies.State().Epoch)
		requests := y.requests()
		require.Equal(t, "after", y.content("b"))
		require.Equal(t, requests, y.requests(), "the body of the new epoch is kept")
	})
}

// Promise: the Transforms of the factory and of the options are called once for each
// body that was read. Their failures affect one read.
func TestTransformOfBodies(t *testing.T) {
	calls, behaviour := 0, ""
	withFactory(t, informer.FactoryOptions{Transform: func(obj rest.Object) (bool, error) {
		obj.(*Secret).Labels = map[string]string{"by": "factory"} // metadata would panic
		return true, nil
	}}, func(f *factoryFixture) {
		y := &bodiesFixture{factoryFixture: f}
		y.createSecret("a", "content")
		y.bodies = informer.ForBodies(y.factory, rest.NewView[*Secret](y.client, secrets), informer.BodyOptions[*Secret]{
			Transform: func(s *Secret) (*Secret, bool, error) {
				calls++
				require.Equal(t, "factory", s.Labels["by"])
				switch behaviour {
				case "error":
					return s, true, errors.New("not today")
				case "panic":
					panic("not today either")
				case "exit":
					runtime.Goexit()
				}
				s.Data["key"] = append(s.Data["key"], '!')
				return s, behaviour == "", nil
			},
		})
		y.start()
		for _, c := range []struct{ behaviour, want string }{
			{"error", "body of secrets shop/a: the Transform failed: not today"},
			{"panic", "body of secrets shop/a: the Transform panicked: not today either"},
			{"exit", "body of secrets shop/a: the Transform ended the goroutine of the request"},
		} {
			behaviour = c.behaviour
			_, ok, err := y.bodies.Get(y.ctx, "shop/a")
			require.EqualError(t, err, c.want)
			require.False(t, ok)
		}
		behaviour = "drop"
		requests := y.requests()
		require.Equal(t, "absent", y.content("a"))
		require.Equal(t, "absent", y.content("a"))
		require.Equal(t, requests+2, y.requests(), "an object that the Transform rejects is requested at each read")
		require.Zero(t, y.bodies.State().Bodies)
		behaviour = ""
		require.Equal(t, "content!", y.content("a"))
		require.Equal(t, "content!", y.content("a"))
		require.Equal(t, 6, calls)
	})
}
