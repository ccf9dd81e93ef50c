package bench;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.apache.lucene.analysis.standard.StandardAnalyzer;
import org.apache.lucene.document.Document;
import org.apache.lucene.document.Field;
import org.apache.lucene.document.IntPoint;
import org.apache.lucene.document.StringField;
import org.apache.lucene.document.TextField;
import org.apache.lucene.index.DirectoryReader;
import org.apache.lucene.index.IndexWriter;
import org.apache.lucene.index.IndexWriterConfig;
import org.apache.lucene.index.SerialMergeScheduler;
import org.apache.lucene.index.Term;
import org.apache.lucene.search.BooleanClause;
import org.apache.lucene.search.BooleanQuery;
import org.apache.lucene.search.IndexSearcher;
import org.apache.lucene.search.PhraseQuery;
import org.apache.lucene.search.PrefixQuery;
import org.apache.lucene.search.Query;
import org.apache.lucene.search.ScoreDoc;
import org.apache.lucene.search.TermQuery;
import org.apache.lucene.search.TopDocs;
import org.apache.lucene.store.ByteBuffersDirectory;

/** Lucene: indexes generated documents in memory, then searches them with one or more threads. */
public final class Lucene extends Workload {
    private final List<String[]> documents = new ArrayList<>();
    private int queries;
    private int threads;

    public static void main(String[] args) {
        Driver.run(new Lucene(), args);
    }

    @Override
    protected void prepare(Options options) {
        threads = options.number("threads", 1);
        queries = options.pick(400, 4000) * options.number("queries", 100) / 100;
        Words words = new Words(71, 5000);
        for (int i = options.pick(1000, 8000); i > 0; i--) {
            documents.add(new String[] {words.sentence(4), words.sentence(60)});
        }
    }

    @Override
    protected long iterate() throws Exception {
        Sum sum = new Sum();
        try (ByteBuffersDirectory directory = new ByteBuffersDirectory()) {
            index(directory);
            try (DirectoryReader reader = DirectoryReader.open(directory)) {
                ExecutorService pool = Executors.newFixedThreadPool(threads);
                List<Future<Long>> results = new ArrayList<>();
                for (int t = 0; t < threads; t++) {
                    int thread = t;
                    results.add(pool.submit(() -> search(new IndexSearcher(reader), thread)));
                }
                for (Future<Long> result : results) sum.add(result.get());
                pool.shutdown();
            }
        }
        return sum.get();
    }

    private void index(ByteBuffersDirectory directory) throws Exception {
        IndexWriterConfig config = new IndexWriterConfig(new StandardAnalyzer());
        config.setMergeScheduler(new SerialMergeScheduler());
        config.setMaxBufferedDocs(300);
        try (IndexWriter writer = new IndexWriter(directory, config)) {
            for (int i = 0; i < documents.size(); i++) {
                Document document = new Document();
                document.add(new StringField("id", "d" + i, Field.Store.YES));
                document.add(new TextField("title", documents.get(i)[0], Field.Store.YES));
                document.add(new TextField("body", documents.get(i)[1], Field.Store.NO));
                document.add(new IntPoint("number", i % 100));
                writer.addDocument(document);
            }
        }
    }

    private long search(IndexSearcher searcher, int thread) throws Exception {
        Words words = new Words(71, 5000);
        for (int i = 0; i < thread * 50; i++) words.word();
        Sum sum = new Sum();
        for (int i = 0; i < queries / threads; i++) {
            TopDocs found = searcher.search(query(words, i), 10);
            sum.add(found.totalHits.value);
            for (ScoreDoc hit : found.scoreDocs) sum.add(searcher.doc(hit.doc).get("id"));
        }
        return sum.get();
    }

    private static Query query(Words words, int kind) {
        switch (kind % 5) {
            case 0:
                return new TermQuery(new Term("body", words.word()));
            case 1:
                return new BooleanQuery.Builder()
                        .add(new TermQuery(new Term("body", words.word())), BooleanClause.Occur.SHOULD)
                        .add(new TermQuery(new Term("body", words.word())), BooleanClause.Occur.MUST)
                        .add(new TermQuery(new Term("title", words.word())), BooleanClause.Occur.SHOULD).build();
            case 2:
                return new PhraseQuery("body", words.word(), words.word());
            case 3:
                return new PrefixQuery(new Term("title", words.word().substring(0, 3)));
            default:
                return new BooleanQuery.Builder()
                        .add(new TermQuery(new Term("body", words.word())), BooleanClause.Occur.MUST)
                        .add(IntPoint.newRangeQuery("number", 10, 60), BooleanClause.Occur.FILTER).build();
        }
    }
}
