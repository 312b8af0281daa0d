package rest

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/thinformer/thinformer/internal/missing"
)

// definitions finds out when resources are served that were not. The readers of one
// client share it: while at least one waits, one request every three seconds serves all
// of them. It has no goroutine: one of the readers makes the requests.
type definitions struct {
	client *Client

	mu   sync.Mutex
	poll missing.Poll[schema.GroupVersionResource]
	// changed is closed when a reader must ask for its next step. It is nil while none
	// waits.
	changed chan struct{}

	// served and tag are the last list and its ETag. They are kept while readers wait,
	// and used by the one that makes the requests.
	served map[schema.GroupVersionResource]struct{}
	tag    string
}

// wait returns when the resource may be served, which is not before notBefore, or when
// ctx is done. For a resource of the core group, it returns at notBefore.
func (d *definitions) wait(ctx context.Context, resource schema.GroupVersionResource, notBefore time.Time) error {
	if resource.Group == "" { // not in the list
		return sleep(ctx, time.Until(notBefore))
	}
	d.mu.Lock()
	reader := d.poll.Join(resource, notBefore)
	if d.changed == nil {
		d.changed = make(chan struct{})
	}
	d.mu.Unlock()
	defer d.leave(reader)
	for {
		d.mu.Lock()
		step, changed := d.poll.Step(reader, time.Now()), d.changed
		d.mu.Unlock()
		switch {
		case step.Ready:
			return nil
		case step.Request:
			d.request(ctx)
		default:
			waitForStep(ctx, step.At, changed)
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
	}
}

// waitForStep waits for a time, unless it is zero, for changed, or for the end of ctx.
func waitForStep(ctx context.Context, at time.Time, changed <-chan struct{}) {
	var due <-chan time.Time
	if !at.IsZero() {
		timer := time.NewTimer(time.Until(at))
		defer timer.Stop()
		due = timer.C
	}
	select {
	case <-due:
	case <-changed:
	case <-ctx.Done():
	}
}

// leave removes a reader. The last one discards the list.
func (d *definitions) leave(reader *missing.Reader[schema.GroupVersionResource]) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.poll.Leave(reader) {
		d.served, d.tag, d.changed = nil, "", nil
		return
	}
	d.wake()
}

// wake makes all readers ask for their next step. It needs mu.
func (d *definitions) wake() {
	close(d.changed)
	d.changed = make(chan struct{})
}

// definitionsTimeout bounds a request for the list. Another reader makes the next one.
const definitionsTimeout = 10 * time.Second

// request requests the list.
func (d *definitions) request(ctx context.Context) {
	bounded, cancel := context.WithTimeout(ctx, definitionsTimeout)
	defer cancel()
	d.mu.Lock()
	tag := d.tag
	d.mu.Unlock()
	served, tag, err := d.client.servedResources(bounded, tag)
	if ctx.Err() != nil {
		return // the reader leaves
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if err != nil {
		d.poll.Failed(time.Now())
		d.wake()
		return
	}
	if served != nil {
		d.served, d.tag = served, tag
	}
	d.poll.Answered(time.Now(), func(r schema.GroupVersionResource) bool {
		_, ok := d.served[r]
		return ok
	})
	d.wake()
}

// acceptDefinitions requests the aggregated discovery of Kubernetes 1.27 and later: all
// groups, versions and resources in one response. rest/discovery requests the same.
const acceptDefinitions = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList," +
	"application/json;g=apidiscovery.k8s.io;v=v2beta1;as=APIGroupDiscoveryList"

// servedResources returns the resources of all groups but the core group, and the ETag
// of the response. It returns nil if the list with the given ETag is current.
func (c *Client) servedResources(ctx context.Context, tag string) (served map[schema.GroupVersionResource]struct{}, newTag string, err error) {
	request := c.Get().AbsPath("apis").SetHeader("Accept", acceptDefinitions).MaxRetries(0)
	if tag != "" {
		request.SetHeader("If-None-Match", tag)
	}
	response, err := request.open(ctx, false)
	if response != nil && response.StatusCode == http.StatusNotModified && tag != "" {
		return nil, tag, nil
	}
	if err != nil {
		return nil, "", err
	}
	defer response.Body.Close()
	body, err := request.readAll(response)
	if err != nil {
		return nil, "", fmt.Errorf("list the served resources: %w", err)
	}
	served, err = decodeServedResources(body)
	return served, response.Header.Get("ETag"), err
}

// decodeServedResources decodes an APIGroupDiscoveryList. The names are copied by the
// decoder, so that the result does not retain the response.
func decodeServedResources(body []byte) (map[schema.GroupVersionResource]struct{}, error) {
	var list struct {
		Kind  string `json:"kind"`
		Items []struct {
			Metadata struct {
				Name string `json:"name"`
			} `json:"metadata"`
			Versions []struct {
				Version   string `json:"version"`
				Resources []struct {
					Resource string `json:"resource"`
				} `json:"resources"`
			} `json:"versions"`
		} `json:"items"`
	}
	if err := json.Unmarshal(body, &list); err != nil {
		return nil, fmt.Errorf("decode the served resources: %w", err)
	}
	if list.Kind != "APIGroupDiscoveryList" {
		return nil, fmt.Errorf("decode the served resources: the kind is %q: the server has no aggregated discovery", list.Kind)
	}
	served := map[schema.GroupVersionResource]struct{}{}
	for _, group := range list.Items {
		for _, version := range group.Versions {
			for _, r := range version.Resources {
				served[schema.GroupVersionResource{Group: group.Metadata.Name, Version: version.Version, Resource: r.Resource}] = struct{}{}
			}
		}
	}
	return served, nil
}
