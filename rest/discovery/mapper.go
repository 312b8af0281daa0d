package discovery

import (
	"context"
	"fmt"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/runtime/schema"
)

// missRefreshInterval is the minimum time between two refreshes that are caused by
// misses.
const missRefreshInterval = 3 * time.Second

// Mapper finds resources by kind or by name, and caches the resources of the
// server. It is safe for concurrent use.
type Mapper struct {
	client *Client

	mu              sync.Mutex
	index           *resourceIndex // nil before the first discovery and after Invalidate
	refresh         *refresh       // the running refresh, which sets index; nil if there is none
	lastMissRefresh time.Time      // when a miss last started a refresh
}

// NewMapper returns a Mapper with an empty cache. The first lookup starts
// discovery.
func NewMapper(client *Client) *Mapper { return &Mapper{client: client} }

// ForKind returns the resource of a kind. Without a version, the preferred version
// of the group wins if it has the kind. If there is no such kind, the error is a
// [*NoMatchError].
func (m *Mapper) ForKind(ctx context.Context, gvk schema.GroupVersionKind) (Resource, error) {
	q, err := newKindQuery(gvk)
	if err != nil {
		return Resource{}, err
	}
	return m.lookup(ctx, q)
}

// ForResource returns the resource of a name: a plural, singular or short name,
// alone, with a group, or with a version and a group ("deploy",
// "deployments.apps", "deployments.v1.apps"). The package comment has the rules. If
// there is no such resource, the error is a [*NoMatchError].
func (m *Mapper) ForResource(ctx context.Context, name string) (Resource, error) {
	q, err := newNameQuery(name)
	if err != nil {
		return Resource{}, err
	}
	return m.lookup(ctx, q)
}

// Resources returns all resources in all versions, in the order in which ForResource
// matches them. With a [*PartialError] it also returns the resources of the group
// versions that have not failed.
func (m *Mapper) Resources(ctx context.Context) ([]Resource, error) {
	index, _, err := m.current(ctx)
	if err != nil {
		return nil, fmt.Errorf("list the server's resources: %w", err)
	}
	all := make([]Resource, len(index.all))
	for i, r := range index.all {
		all[i] = r.clone()
	}
	if index.partial != nil {
		return all, index.partial
	}
	return all, nil
}

// Invalidate clears the cache. The next lookup starts a discovery; the result of a
// discovery that is already running is used only by the callers that wait for it.
func (m *Mapper) Invalidate() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.index, m.refresh = nil, nil
}

func (m *Mapper) lookup(ctx context.Context, q query) (Resource, error) {
	index, refreshed, err := m.current(ctx)
	if err != nil {
		return Resource{}, fmt.Errorf("look up the %s: %w", q.description, err)
	}
	if r := index.lookup(q); r != nil {
		return r.clone(), nil
	}
	if !refreshed {
		newer, err := m.refreshAfterMiss(ctx)
		switch {
		case err == nil:
		case ctx.Err() != nil:
			return Resource{}, fmt.Errorf("look up the %s: %w", q.description, err)
		default:
			return Resource{}, &NoMatchError{Query: q.description, Partial: index.failuresThatMayMatch(q), Err: err}
		}
		index = newer
	}
	if r := index.lookup(q); r != nil {
		return r.clone(), nil
	}
	return Resource{}, &NoMatchError{Query: q.description, Partial: index.failuresThatMayMatch(q), noMatch: q.noMatch}
}

// current returns the cached index, or the result of a refresh if there is none.
func (m *Mapper) current(ctx context.Context) (index *resourceIndex, refreshed bool, err error) {
	m.mu.Lock()
	if m.index != nil {
		defer m.mu.Unlock()
		return m.index, false, nil
	}
	r := m.joinRefresh(ctx)
	m.mu.Unlock()
	index, err = m.waitFor(ctx, r)
	return index, true, err
}

// refreshAfterMiss returns the result of a refresh, or the cached index if another
// miss has caused a refresh within the last missRefreshInterval.
func (m *Mapper) refreshAfterMiss(ctx context.Context) (*resourceIndex, error) {
	m.mu.Lock()
	if m.refresh == nil && m.index != nil && time.Since(m.lastMissRefresh) < missRefreshInterval {
		defer m.mu.Unlock()
		return m.index, nil
	}
	if m.refresh == nil {
		m.lastMissRefresh = time.Now()
	}
	r := m.joinRefresh(ctx)
	m.mu.Unlock()
	return m.waitFor(ctx, r)
}
