package objects

import (
	"encoding/binary"
	"math/rand/v2"
	"sync"

	"k8s.io/apimachinery/pkg/types"
)

// Identities generates uids and names. The same seed gives the same sequence. It
// is safe for concurrent use.
type Identities struct {
	mu     sync.Mutex
	random *rand.Rand
}

// NewIdentities returns a generator for a seed.
func NewIdentities(seed uint64) *Identities {
	return &Identities{random: rand.New(rand.NewPCG(seed, 0))}
}

// UID returns a random uid, in the form of RFC 4122.
func (i *Identities) UID() types.UID {
	var b [16]byte
	i.mu.Lock()
	binary.BigEndian.PutUint64(b[:8], i.random.Uint64())
	binary.BigEndian.PutUint64(b[8:], i.random.Uint64())
	i.mu.Unlock()
	b[6] = b[6]&0x0f | 0x40
	b[8] = b[8]&0x3f | 0x80
	const hex = "0123456789abcdef"
	text := make([]byte, 0, 36)
	for index, part := range b {
		if index == 4 || index == 6 || index == 8 || index == 10 {
			text = append(text, '-')
		}
		text = append(text, hex[part>>4], hex[part&15])
	}
	return types.UID(text)
}

// Name returns prefix with a random suffix of five characters without vowels. It
// cuts a prefix that is too long for a DNS label.
func (i *Identities) Name(prefix string) string {
	const letters, maxLength, suffixLength = "bcdfghjklmnpqrstvwxz2456789", 63, 5
	text := []byte(prefix[:min(len(prefix), maxLength-suffixLength)])
	i.mu.Lock()
	defer i.mu.Unlock()
	for range suffixLength {
		text = append(text, letters[i.random.IntN(len(letters))])
	}
	return string(text)
}
