package bench;

import java.io.StringReader;
import javax.xml.parsers.DocumentBuilderFactory;
import javax.xml.parsers.SAXParserFactory;
import javax.xml.transform.stream.StreamSource;
import javax.xml.validation.Schema;
import javax.xml.validation.SchemaFactory;
import org.w3c.dom.Node;
import org.xml.sax.Attributes;
import org.xml.sax.InputSource;
import org.xml.sax.SAXException;
import org.xml.sax.SAXParseException;
import org.xml.sax.helpers.DefaultHandler;

/** Xerces: SAX parsing with schema validation, then a DOM built and walked. */
public final class Xerces extends Workload {
    private String document;
    private int repeats;
    private SAXParserFactory sax;
    private DocumentBuilderFactory dom;

    public static void main(String[] args) {
        Driver.run(new Xerces(), args);
    }

    @Override
    protected void prepare(Options options) throws Exception {
        SchemaFactory schemas = SchemaFactory.newInstance("http://www.w3.org/2001/XMLSchema",
                "org.apache.xerces.jaxp.validation.XMLSchemaFactory", null);
        Schema schema = schemas.newSchema(new StreamSource(new StringReader(Xml.SCHEMA)));
        sax = SAXParserFactory.newInstance("org.apache.xerces.jaxp.SAXParserFactoryImpl", null);
        sax.setNamespaceAware(true);
        sax.setSchema(schema);
        dom = DocumentBuilderFactory.newInstance("org.apache.xerces.jaxp.DocumentBuilderFactoryImpl", null);
        document = Xml.catalogue(61, 800);
        repeats = options.pick(6, 60);
    }

    @Override
    protected long iterate() throws Exception {
        Sum sum = new Sum();
        for (int i = 0; i < repeats; i++) {
            Counter counter = new Counter(sum);
            sax.newSAXParser().parse(new InputSource(new StringReader(document)), counter);
            sum.add(counter.elements);
            Node root = dom.newDocumentBuilder().parse(new InputSource(new StringReader(document)));
            sum.add(walk(root, 0));
        }
        return sum.get();
    }

    private static long walk(Node node, int depth) {
        long total = node.getNodeType() * 31L + depth;
        if (node.getNodeValue() != null) total += node.getNodeValue().length();
        for (Node child = node.getFirstChild(); child != null; child = child.getNextSibling()) {
            total = total * 3 + walk(child, depth + 1);
        }
        return total;
    }

    private static final class Counter extends DefaultHandler {
        private final Sum sum;
        private int elements;

        Counter(Sum sum) {
            this.sum = sum;
        }

        @Override
        public void startElement(String uri, String local, String name, Attributes attributes) {
            elements++;
            for (int i = 0; i < attributes.getLength(); i++) sum.add(attributes.getValue(i));
        }

        @Override
        public void error(SAXParseException e) throws SAXException {
            throw e;
        }
    }
}
