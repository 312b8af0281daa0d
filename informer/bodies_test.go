package informer_test

import (
	"context"
	"errors"
	"net/http"
	"sync"
	"testing"
	"testing/synctest"
	"time"

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

// bodiesFixture has the Bodies of the secrets of a server, in fake time.
type bodiesFixture struct {
	*factoryFixture
	bodies *informer.Bodies[*Secret]
}

func withBodies(t *testing.T, o informer.BodyOptions[*Secret], test func(y *bodiesFixture)) {
	withFactory(t, informer.FactoryOptions{}, func(y *factoryFixture) {
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
	apitest.Modify(y.t, y.server, &Secret{ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: name}}, func(s *Secret) { s.Data["key"] = []byte(content) })
}

// content returns the content of a secret, read from the Bodies.
func (y *bodiesFixture) content(name string) string {
	y.t.Helper()
	secret, ok, err := y.bodies.Get(y.ctx, "shop/"+name)
	require.NoError(y.t, err)
	if !ok {
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
			readers.Go(func() { require.Equal(t, "secret of a", y.content("a")) })
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
			readers.Go(func() { require.Equal(t, "secret of "+name, y.content(name)) })
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
		first := y.server.Fault(apitest.Fault{Match: getSecrets, Times: 1, Action: apitest.Delay(time.Minute)})
		done := make(chan string)
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

		y.server.Fault(apitest.Fault{Match: getSecrets, Times: 1, Action: apitest.FailWith(apierrors.NewNotFound(schema.GroupResource{Resource: "secrets"}, "a"))})
		require.Contains(t, keysOf(y.bodies), "shop/a")
		require.Equal(t, "absent", y.content("a"))
		require.Equal(t, "secret of a", y.content("a"), "the absence is not kept")
	})
}
