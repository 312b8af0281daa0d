package discovery

import (
	"context"
	"fmt"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/runtime/schema"
)

// missInterval is how long after asking again because of a miss the server is
// not asked again because of another.
const missInterval = 3 * time.Second

// Mapper finds resources by kind or by word, and remembers what the server
// serves. It is for use by any number of goroutines.
type Mapper struct {
	client *Client

	mu      sync.Mutex
	known   *catalog  // nil: nothing yet, or Invalidate was called
	flight  *flight   // the request that is under way and will set known; nil: none
	askedAt time.Time // when a miss last made a flight
}

// NewMapper makes a Mapper that knows nothing. It asks when it is first asked.
func NewMapper(client *Client) *Mapper { return &Mapper{client: client} }

// ForKind finds the resource of a kind. Without a version it is the group's
// preferred one, if that has the kind. It returns a [*NoMatchError] if there is
// no such kind.
func (m *Mapper) ForKind(ctx context.Context, gvk schema.GroupVersionKind) (Resource, error) {
	q, err := ofKind(gvk)
	if err != nil {
		return Resource{}, err
	}
	return m.find(ctx, q)
}

// ForResource finds the resource that a word means: its plural, singular or
// short name, alone or with group, or with version and group ("deploy",
// "deployments.apps", "deployments.v1.apps"). The package comment has the
// rules. It returns a [*NoMatchError] if there is no such resource.
func (m *Mapper) ForResource(ctx context.Context, word string) (Resource, error) {
	q, err := ofWord(word)
	if err != nil {
		return Resource{}, err
	}
	return m.find(ctx, q)
}

// Resources are all resources in all versions, in the order in which a word is
// matched with them. A [*PartialError] comes with results.
func (m *Mapper) Resources(ctx context.Context) ([]Resource, error) {
	known, _, err := m.first(ctx)
	if err != nil {
		return nil, fmt.Errorf("list the server's resources: %w", err)
	}
	all := make([]Resource, len(known.all))
	for i, r := range known.all {
		all[i] = r.clone()
	}
	if known.partial != nil {
		return all, known.partial
	}
	return all, nil
}

// Invalidate forgets everything: whoever asks next has the server asked. What
// was asked before is not used for them, even if its answer is still to come.
func (m *Mapper) Invalidate() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.known, m.flight = nil, nil
}

func (m *Mapper) find(ctx context.Context, q query) (Resource, error) {
	known, asked, err := m.first(ctx)
	if err != nil {
		return Resource{}, fmt.Errorf("look up the %s: %w", q.text, err)
	}
	if r := known.find(q); r != nil {
		return r.clone(), nil
	}
	if !asked {
		newer, err := m.again(ctx)
		switch {
		case err == nil:
		case ctx.Err() != nil:
			return Resource{}, fmt.Errorf("look up the %s: %w", q.text, err)
		default:
			return Resource{}, &NoMatchError{Asked: q.text, Partial: known.mayHide(q), Err: err}
		}
		known = newer
	}
	if r := known.find(q); r != nil {
		return r.clone(), nil
	}
	return Resource{}, &NoMatchError{Asked: q.text, Partial: known.mayHide(q), none: q.none}
}

// first is what is known, or what the server says if that is nothing.
func (m *Mapper) first(ctx context.Context) (known *catalog, asked bool, err error) {
	m.mu.Lock()
	if m.known != nil {
		defer m.mu.Unlock()
		return m.known, false, nil
	}
	f := m.join(ctx)
	m.mu.Unlock()
	known, err = m.wait(ctx, f)
	return known, true, err
}

// again asks the server after a miss. If somebody has just done so it does not:
// then what comes back is what that one was told.
func (m *Mapper) again(ctx context.Context) (*catalog, error) {
	m.mu.Lock()
	if m.flight == nil && m.known != nil && time.Since(m.askedAt) < missInterval {
		defer m.mu.Unlock()
		return m.known, nil
	}
	if m.flight == nil {
		m.askedAt = time.Now()
	}
	f := m.join(ctx)
	m.mu.Unlock()
	return m.wait(ctx, f)
}
