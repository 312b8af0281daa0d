package apitest

import (
	"encoding/binary"
	"math/rand/v2"
	"sync"

	"k8s.io/apimachinery/pkg/types"
)

// identities generates uids and names, the same ones for the same seed.
type identities struct {
	mu     sync.Mutex
	random *rand.Rand
}

func newIdentities(seed uint64) *identities {
	return &identities{random: rand.New(rand.NewPCG(seed, 0))}
}

// uid returns a random uid, in the form of RFC 4122.
func (i *identities) uid() types.UID {
	var b [16]byte
	i.mu.Lock()
	binary.BigEndian.PutUint64(b[:8], i.random.Uint64())
	binary.BigEndian.PutUint64(b[8:], i.random.Uint64())
	i.mu.Unlock()
	b[6] = b[6]&0x0f | 0x40
	b[8] = b[8]&0x3f | 0x80
	const hex = "0123456789abcdef"
	text := make([]byte, 0, 36)
	for at, part := range b {
		if at == 4 || at == 6 || at == 8 || at == 10 {
			text = append(text, '-')
		}
		text = append(text, hex[part>>4], hex[part&15])
	}
	return types.UID(text)
}

// name returns a prefix with a random suffix of five characters without vowels.
// It cuts a prefix that is too long for a DNS label.
func (i *identities) name(prefix string) string {
	const letters, most, end = "bcdfghjklmnpqrstvwxz2456789", 63, 5
	text := []byte(prefix[:min(len(prefix), most-end)])
	i.mu.Lock()
	defer i.mu.Unlock()
	for range end {
		text = append(text, letters[i.random.IntN(len(letters))])
	}
	return string(text)
}
