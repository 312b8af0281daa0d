package pbobj

// Field numbers: metadata in every object, and the fields of metav1.ObjectMeta.
const (
	metadataField        = 1
	nameField            = 1
	namespaceField       = 3
	uidField             = 5
	resourceVersionField = 6
	annotationsField     = 12
	managedFieldsField   = 17
)

// Identity identifies an object, as far as it could be parsed.
type Identity struct {
	Namespace, Name, UID, ResourceVersion string
}

// Identify parses as much of an object's identity as possible. The object may be
// invalid: identities are needed for errors.
func Identify(object []byte) (id Identity) {
	eachMetaField(object, func(number int, content []byte) {
		switch number {
		case nameField:
			id.Name = string(content)
		case namespaceField:
			id.Namespace = string(content)
		case uidField:
			id.UID = string(content)
		case resourceVersionField:
			id.ResourceVersion = string(content)
		}
	})
	return id
}

// Annotation returns the value of an annotation of an object, "" if it is missing.
func Annotation(object []byte, key string) (value string) {
	eachMetaField(object, func(number int, content []byte) {
		if number != annotationsField {
			return
		}
		var k, v []byte
		eachField(content, func(number int, content []byte) {
			switch number {
			case 1:
				k = content
			case 2:
				v = content
			}
		})
		if string(k) == key {
			value = string(v)
		}
	})
	return value
}

func eachMetaField(object []byte, visit func(number int, content []byte)) {
	eachField(object, func(number int, content []byte) {
		if number == metadataField {
			eachField(content, visit)
		}
	})
}

// eachField visits the length-delimited fields of a message up to its end or to the
// first invalid byte.
func eachField(message []byte, visit func(number int, content []byte)) {
	for len(message) > 0 {
		h, content, n, err := Next(message)
		if err != nil {
			return
		}
		if h.Wire == Bytes {
			visit(h.Number, content)
		}
		message = message[n:]
	}
}
